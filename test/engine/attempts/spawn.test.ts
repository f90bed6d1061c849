import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { TaskContext } from 'holdfast';
import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { toWorkerEnv } from '../../../src/engine/workers/worker-process.ts';
import { openRig, untilAborted } from '../open-rig.ts';
import { isRunning } from '../workers/start-program.ts';

// A program with a child and a grandchild in the background; it prints all three pids.
const FAMILY = '(sleep 1000 & echo $!; wait) & echo $!; echo $$; wait';

async function readPids(stdout: NodeJS.ReadableStream): Promise<number[]> {
  let printed = '';
  for await (const chunk of stdout) {
    printed += chunk;
    const pids = printed.trim().split('\n').map(Number);
    if (pids.length === 3 && printed.endsWith('\n')) return pids;
  }
  throw new Error('the family ended early');
}

async function anyRunning(pids: readonly number[]): Promise<boolean> {
  return (await Promise.all(pids.map(isRunning))).includes(true);
}

/** A tool that starts the family, remembers it and does `then`. */
function createFamilyTool(then: (task: TaskContext) => unknown) {
  const pids: number[] = [];
  const run = async (_args: unknown, task: TaskContext) => {
    const child = await task.spawn('sh', ['-c', FAMILY]);
    // A copy: reading to the end of an iterator would close the pipe.
    pids.push(...(await readPids(child.stdout)));
    return then(task);
  };
  return { pids, tool: { run } };
}

describe('spawn', () => {
  it('[ENGINE-30] gives output, input and the exit code', async () => {
    const rig = await openRig();
    const run = async (_args: unknown, task: TaskContext) => {
      const child = await task.spawn('sh', ['-c', 'cat; echo oops >&2; exit 7']);
      child.stdin.end('hello');
      const [out, err, exit] = await Promise.all([text(child.stdout), text(child.stderr), child.exit]);
      return { out, err, ...exit };
    };
    const engine = await rig.engine({ run: { run } });
    const { task } = await engine.submit('run');
    expect(await engine.outcome(task.taskId)).toEqual({
      kind: 'result',
      value: { out: 'hello', err: 'oops\n', code: 7, signal: null },
    });
  });

  it('[ENGINE-30] runs in the directory and environment it is given', async () => {
    const rig = await openRig();
    const run = async (_args: unknown, task: TaskContext) => {
      const env = { PATH: process.env.PATH, COLOUR: 'blue' };
      const child = await task.spawn('sh', ['-c', 'echo $COLOUR $HOME; pwd'], { cwd: rig.folder, env });
      return text(child.stdout);
    };
    const engine = await rig.engine({ run: { run } });
    const { task } = await engine.submit('run');
    expect(await engine.outcome(task.taskId)).toEqual({ kind: 'result', value: `blue\n${rig.folder}\n` });
  });

  it.each([undefined, 60_000])(
    '[ENGINE-30] a program whose output nobody reads still ends (stallMs %s)',
    async (stallMs) => {
      const rig = await openRig();
      const run = async (_args: unknown, task: TaskContext) => {
        // In pieces: more of them than a stream keeps for somebody who may still come.
        const pieces = 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do head -c 5000 /dev/zero; sleep 0.02; done';
        const child = await task.spawn('sh', ['-c', pieces]);
        return (await child.exit).code;
      };
      const engine = await rig.engine({ run: { run, ...(stallMs && { stallMs }) } });
      const { task } = await engine.submit('run');
      const outcome = await engine.outcome(task.taskId, { signal: AbortSignal.timeout(60_000) });
      expect(outcome).toEqual({ kind: 'result', value: 0 });
    },
  );

  it('[ENGINE-30] a missing command is SPAWN_FAILED and names it', async () => {
    const rig = await openRig();
    const engine = await rig.engine({ run: { run: (_args, task) => task.spawn('no-such-command-here') } });
    const { task } = await engine.submit('run');
    expect(await engine.outcome(task.taskId)).toMatchObject({
      kind: 'error',
      error: { code: 'SPAWN_FAILED', message: expect.stringContaining('no-such-command-here') },
    });
  });

  it('[ENGINE-41] cancel ends the whole group, grandchildren included', async () => {
    const rig = await openRig();
    const family = createFamilyTool((task) => untilAborted(task.signal));
    const engine = await rig.engine({ family: family.tool });
    const { taskId } = (await engine.submit('family')).task;
    await until(() => family.pids.length === 3);
    expect(await anyRunning(family.pids)).toBe(true);
    await engine.cancel(taskId);
    await until(async () => !(await anyRunning(family.pids)));
    await until(
      async () => (await rig.store.workers.groups((await rig.store.workers.list())[0]?.workerId ?? '')).length === 0,
    );
  });

  it.runIf(process.platform === 'linux')(
    '[ENGINE-41] cancel ends the daemons of a whole tree within its grace time',
    async () => {
      const rig = await openRig();
      const pids: number[] = [];
      const run = async (_args: unknown, task: TaskContext) => {
        const daemon = `setsid sh -c 'trap "" TERM; echo $$; exec sleep 1000' & wait`;
        const child = await task.spawn('sh', ['-c', daemon], { wholeTree: true, graceMs: 50 });
        child.stdout.once('data', (line) => pids.push(Number(line)));
        await untilAborted(task.signal);
      };
      const engine = await rig.engine({ run: { run } });
      const { taskId } = (await engine.submit('run')).task;
      await until(() => pids.length === 1);
      await engine.cancel(taskId);
      await until(async () => !(await anyRunning(pids)));
    },
  );

  it('a worker started from within a tree does not belong to it', () => {
    vi.stubEnv('HOLDFAST_TREE', 'some tree');
    onTestFinished(() => void vi.unstubAllEnvs());
    const env = toWorkerEnv({ role: 'detached', identity: 'i', workerId: 'w', startMs: 1 });
    expect(env.PATH).toBe(process.env.PATH);
    expect(env).not.toHaveProperty('HOLDFAST_TREE');
  });

  it('[ENGINE-41] a time-out ends the whole group', async () => {
    const rig = await openRig();
    const family = createFamilyTool((task) => untilAborted(task.signal));
    // A busy machine may take longer to start three programs than the first tool may run.
    for (const maxRunMs of [500, 5_000, 50_000]) {
      const engine = await rig.engine({ family: { ...family.tool, maxRunMs } });
      const { taskId } = (await engine.submit('family')).task;
      expect(await engine.outcome(taskId)).toMatchObject({ kind: 'error', error: { code: 'TIMED_OUT' } });
      await engine.close();
      if (family.pids.length > 0) break;
    }
    expect(family.pids).toHaveLength(3);
    await until(async () => !(await anyRunning(family.pids)));
  });

  it('[ENGINE-41] a tool that returns without waiting leaves no program behind', async () => {
    const rig = await openRig();
    const family = createFamilyTool(() => 'returned');
    const engine = await rig.engine({ family: family.tool });
    const { taskId } = (await engine.submit('family')).task;
    expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: 'returned' });
    await until(async () => !(await anyRunning(family.pids)));
  });

  it('[ENGINE-41] closing the engine ends the group before somebody else may run the task', async () => {
    const rig = await openRig();
    const family = createFamilyTool((task) => untilAborted(task.signal));
    const engine = await rig.engine({ family: { ...family.tool, idempotent: true } }, { shutdownGraceMs: 1 });
    const { taskId } = (await engine.submit('family')).task;
    await until(() => family.pids.length === 3);
    await engine.close();
    expect(await anyRunning(family.pids)).toBe(false);
    expect((await engine.get(taskId)).status).toBe('queued');
  });

  it('[ENGINE-21] a program started by an inline tool sees no worker token', async () => {
    const rig = await openRig();
    const run = async (_args: unknown, task: TaskContext) => {
      const child = await task.spawn(process.execPath, ['-p', 'Object.keys(process.env).join()']);
      return (await text(child.stdout)).includes('HOLDFAST_WORKER');
    };
    const engine = await rig.engine({ run: { run } });
    const { task } = await engine.submit('run');
    await untilStatus(engine, task.taskId, 'completed');
    expect(await engine.outcome(task.taskId)).toEqual({ kind: 'result', value: false });
    expect(await readFile('/proc/self/environ', 'utf8')).not.toContain('HOLDFAST_WORKER');
  });
});
