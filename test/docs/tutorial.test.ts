/** What can be said of the tutorial without running it; `test/real/package/pages.test.ts` types every block of it. */
import { expect, it } from 'vitest';
import { CLIENT_FILES, toCommand } from './client-config.ts';
import { readFences } from './fences.ts';

it('[FIRST-503] its snippets name the file of each of nine clients, and the same command in the form of each', async () => {
  const snippets = (await readFences('docs/tutorial.md')).filter(({ language }) => /^(json|toml)$/.test(language));
  const commands = snippets.map((fence) => toCommand(fence, '/home/ada'));
  expect(commands.map(({ file }) => file)).toEqual(CLIENT_FILES);
  for (const { command, args } of commands) expect([command, ...args]).toEqual(['node', '/home/ada/reports.mjs']);
});
