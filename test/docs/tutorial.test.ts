/** Every fenced block of the tutorial is run; `type-page.ts` says what that means. */
import { expect, it } from 'vitest';
import { CLIENT_FILES, toCommand } from './client-config.ts';
import { readFences } from './fences.ts';
import { openDesk } from './open-desk.ts';
import { untilQuiet } from './reports-store.ts';
import { typePage } from './type-page.ts';

const TYPED_MS = 240_000;

it('[FIRST-502] whoever types the tutorial gets every output that it shows, and a server by every snippet', {
  timeout: TYPED_MS,
}, async () => {
  await using desk = await openDesk();
  expect(new Set(await typePage('docs/tutorial.md', desk))).toEqual(new Set(['sh', 'js', 'text', 'json', 'toml']));
  await untilQuiet(desk);
});

it('[FIRST-503] its snippets name the file of each of nine clients, and the same command in the form of each', async () => {
  const snippets = (await readFences('docs/tutorial.md')).filter(({ language }) => /^(json|toml)$/.test(language));
  const commands = snippets.map((fence) => toCommand(fence, '/home/ada'));
  expect(commands.map(({ file }) => file)).toEqual(CLIENT_FILES);
  for (const { command, args } of commands) expect([command, ...args]).toEqual(['node', '/home/ada/reports.mjs']);
});
