import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { currentProcess } from '../../../src/process/process-ref.ts';
import { runCli } from '../run-cli.ts';
import { openSeededStore, type SeededStore } from './seeded-store.ts';

let seeded: SeededStore;

beforeEach(async () => {
  seeded = await openSeededStore();
});

afterEach(() => seeded.close());

const PLACE = {
  workerId: 'd1',
  identity: 'test-program',
  kind: 'detached',
  build: { id: 'b', at: 1 },
  leaseMs: 1000,
} as const;

it('[BAD-155] says who runs the tasks: a detached worker, or a serving process whose end ends them', async () => {
  const { pid, host } = currentProcess();
  await seeded.store.workers.reserve(PLACE);
  const starting = await seeded.here('list');
  await seeded.store.workers.register({ ...PLACE, process: currentProcess() });
  const [text, json] = await Promise.all([seeded.cli('list'), runCli(['where', '--store', seeded.path, '--json'])]);
  const inline = `inline (process ${pid}; what it runs ends with it)`;
  expect(starting.stderr).toBe(`no tasks\nworkers: ${inline}; detached, starting\n`);
  expect(text.stderr).toBe(`no tasks\nworkers: ${inline}; detached (process ${pid})\n`);
  expect(JSON.parse(json.stdout.trimEnd().split('\n').at(-1) ?? '').workers).toEqual([
    { workerId: 'w1', identity: 'test-program', kind: 'inline', state: 'ready', host: 'test', pid },
    { workerId: 'd1', identity: 'test-program', kind: 'detached', state: 'ready', host, pid },
  ]);
});

it('[BAD-155] says nothing when there are none, and tells one whose process has ended', async () => {
  await seeded.store.workers.retire('w1', { ifIdle: false });
  expect((await seeded.here('list')).stderr).toBe('no tasks\n');
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  await seeded.store.workers.register({ ...PLACE, kind: 'inline', process: { ...currentProcess(), pid } });
  expect((await seeded.here('list')).stderr).toBe(`no tasks\nworkers: inline (process ${pid}, which has ended)\n`);
});
