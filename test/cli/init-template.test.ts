import { expect, it } from 'vitest';
import { toTemplate } from '../../src/cli/commands/init/template.ts';

it('[FIRST-418] the page of a new server has a snippet for every client, each with the whole path', () => {
  const options = { name: 'reports', folder: "/home/o'hara/my reports", version: '1.2.3', peerDependencies: {} };
  const page = toTemplate(options)['README.md'] ?? '';
  const clients = [
    'Claude Code',
    'Claude Desktop',
    'Cursor',
    'VS Code',
    'Codex',
    'Gemini',
    'opencode',
    'Zed',
    'Copilot',
  ];
  for (const client of clients) expect(page).toContain(client);
  const blocks = [...page.matchAll(/```json\n([\s\S]*?)\n```/g)].map(([, json = '']) => JSON.parse(json));
  expect(blocks).toHaveLength(5);
  for (const block of blocks) expect(JSON.stringify(block)).toContain("/home/o'hara/my reports/dist/src/server.js");
  expect(page).toContain(`claude mcp add reports -- node '/home/o'\\''hara/my reports/dist/src/server.js'`);
});
