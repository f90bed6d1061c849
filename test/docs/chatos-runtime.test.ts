/** The runtime and the plugin of docs/chatos-runtime.md, as they stand there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { readFences } from './fences.ts';
import { type Desk, openDesk } from './open-desk.ts';
import { untilCalled, untilQuiet } from './reports-store.ts';

const PAGE = 'docs/chatos-runtime.md';

async function writeFiles({ folder }: Desk): Promise<void> {
  const [runtime, manifest, server] = (await readFences(PAGE)).map((fence) => fence.text);
  const plugin = join(folder, 'plugin');
  await mkdir(plugin);
  await writeFile(join(folder, 'runtime.mjs'), runtime ?? '');
  await writeFile(join(plugin, 'plugin.json'), manifest ?? '');
  await writeFile(join(plugin, 'server.mjs'), server ?? '');
}

/** Starts the runtime, and kills it when the plugin has acknowledged its call. */
async function killWhileItWaits(desk: Desk): Promise<string> {
  const { folder, env } = desk;
  const args = ['runtime.mjs', 'plugin', 'the weather'];
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const said = text(child.stdout);
  await untilCalled(desk, 'report_run');
  child.kill('SIGKILL');
  await once(child, 'close');
  return said;
}

it('[FIRST-510] a runtime that was killed while a plugin works delivers the result when it is back, and only once', {
  timeout: 240_000,
}, async () => {
  await using desk = await openDesk();
  await desk.install();
  await writeFiles(desk);
  expect(await killWhileItWaits(desk)).toBe('s1: waiting for report_run\n');
  expect(await desk.run('node runtime.mjs plugin')).toBe(
    's1: waiting for report_run\ns1: a report about the weather\n',
  );
  expect(await desk.run('node runtime.mjs plugin')).toBe('');
  const log = await desk.run('cat state/ui-prompts.jsonl');
  expect(log.split('\n').filter((line) => line.includes('a report about the weather'))).toHaveLength(1);
  await untilQuiet(desk);
});
