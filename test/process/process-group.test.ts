import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { TREE_VARIABLE, toMarker } from '../../src/process/group-view.ts';
import { endGroup, endGroups, killGroupNow, type SpawnOptions, spawnGated } from '../../src/process/process-group.ts';
import { currentHost, isAlive, type ProcessRef, toProcessRef } from '../../src/process/process-ref.ts';
import { hasVariable, readProcess } from '../../src/process/process-table.ts';
import { programPath } from '../programs/program-path.js';

const isLinux = process.platform === 'linux';
const groups: number[] = [];

afterEach(() => {
  for (const pid of groups.splice(0)) killGroupNow(pid);
});

/** Runs a shell script whose first line of output lists pids. */
async function startGroup(script: string, options: SpawnOptions = {}) {
  const { child, ref, release } = await spawnGated('bash', ['-c', script], options);
  groups.push(ref.pid);
  const ended = once(child, 'exit');
  release();
  return { child, ref, ended, members: await readPids(child) };
}

/** Starts a group that is none of ours: no gate, no marker. */
async function startForeign(script: string) {
  const child = spawn('bash', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const ref = toProcessRef(child.pid as number);
  groups.push(ref.pid);
  return { child, ref, members: await readPids(child) };
}

async function readPids(child: ChildProcess): Promise<ProcessRef[]> {
  const [line] = await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
  return String(line)
    .trim()
    .split(' ')
    .map((pid) => toProcessRef(Number(pid)));
}

async function writeProgram(script: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-program-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'program.sh');
  await writeFile(path, `${script}\n`);
  return path;
}

/** Prints the pid of a program that has left the session and ignores SIGTERM. */
const DAEMON = `setsid bash -c 'trap "" TERM; echo $$; exec sleep 1000' &`;

const alive = (refs: readonly ProcessRef[]) => refs.map((ref) => isAlive(ref));

describe('endGroup', () => {
  it('ends children and grandchildren', async () => {
    const { ref, members } = await startGroup('sleep 1000 & one=$!; (sleep 1000 & echo $one $!; wait) & wait');
    expect(alive([ref, ...members])).toEqual([true, true, true]);
    expect(await endGroup(ref, { graceMs: 5000 })).toBe(true);
    expect(alive([ref, ...members])).toEqual([false, false, false]);
  });

  it('lets a program clean up on SIGTERM and waits for it', async () => {
    const { child, ref, ended } = await startGroup(
      'trap "echo cleaned; exit 3" TERM; echo $$; while :; do sleep 0.01; done',
    );
    const words = once(child.stdout, 'data');
    expect(await endGroup(ref, { graceMs: 10_000 })).toBe(true);
    expect(String((await words)[0])).toBe('cleaned\n');
    expect(await ended).toEqual([3, null]);
  });

  it('kills a program that ignores SIGTERM, and its children', async () => {
    const { ref, ended, members } = await startGroup('trap "" TERM; sleep 1000 & echo $!; while :; do wait; done');
    expect(await endGroup(ref, { graceMs: 50 })).toBe(true);
    expect(alive([ref, ...members])).toEqual([false, false]);
    expect(await ended).toEqual([null, 'SIGKILL']);
  });

  it('kills at once without a grace time', async () => {
    const { ref, ended } = await startGroup('trap "exit 3" TERM; echo $$; while :; do sleep 0.01; done');
    expect(await endGroup(ref, { graceMs: 0 })).toBe(true);
    expect(await ended).toEqual([null, 'SIGKILL']);
  });

  it('ends a stopped program without waiting for the grace time', async () => {
    const { ref, ended } = await startGroup('echo $$; kill -STOP $$; sleep 1000');
    expect(await endGroup(ref, { graceMs: 20_000 })).toBe(true);
    expect(await ended).toEqual([null, 'SIGTERM']);
  });

  it('ends what a leader left behind when it ended first', async () => {
    const { ref, ended, members } = await startGroup('sleep 1000 >/dev/null & echo $!');
    await ended;
    expect(alive([ref, ...members])).toEqual([false, true]);
    expect(await endGroup(ref, { graceMs: 5000 })).toBe(true);
    expect(alive(members)).toEqual([false]);
  });

  it.runIf(isLinux)('reaches jobs that a shell put into groups of their own', async () => {
    const { ref, members } = await startGroup('set -m; sleep 1000 & echo $!; wait');
    expect(await endGroup(ref, { graceMs: 5000 })).toBe(true);
    expect(alive(members)).toEqual([false]);
  });

  it.runIf(isLinux)('reaches daemons of a group that is a whole tree, even when its leader ended first', async () => {
    const { ref, ended, members } = await startGroup(DAEMON, { wholeTree: true });
    await ended;
    expect(readProcess(members[0]?.pid ?? 0)?.session).toBe(members[0]?.pid);
    expect(await endGroup(ref, { graceMs: 50 })).toBe(true);
    expect(alive(members)).toEqual([false]);
  });

  it.runIf(isLinux)('[CODEX-23] sees a daemon that is just becoming another program', async () => {
    // Its environment cannot be read for a moment each time.
    const again = `setsid bash -c 'echo $$; exec bash "$0" "$0"' "$PROGRAM" &`;
    const env = { ...process.env, PROGRAM: await writeProgram('exec bash "$0"') };
    const { ref, ended, members } = await startGroup(again, { wholeTree: true, env });
    await ended;
    const [{ pid } = { pid: 0 }] = members;
    const looks = Array.from({ length: 1000 }, () => hasVariable(pid, TREE_VARIABLE, toMarker(ref)));
    // On a busy machine it may stand still in that moment for longer than anybody waits.
    expect(looks.filter((isSeen) => !isSeen).length).toBeLessThan(10);
    expect(await endGroup(ref, { graceMs: 50 })).toBe(true);
    expect(alive(members)).toEqual([false]);
  });

  it.runIf(isLinux)('leaves the daemons of any other group alone', async () => {
    const { ref, ended, members } = await startGroup(DAEMON);
    groups.push(members[0]?.pid ?? 0);
    await ended;
    expect(await endGroup(ref, { graceMs: 50 })).toBe(true);
    expect(alive(members)).toEqual([true]);
  });

  it.runIf(isLinux)('takes a group of zombies for gone', async () => {
    // The parent moves to a session of its own, lives on, and never collects the child it leaves in the group.
    const { ref, members, ended } = await startGroup('(sleep 1000 & echo $! $BASHPID; exec setsid sleep 1000) >&1 &');
    const [child, parent] = members as [ProcessRef, ProcessRef];
    groups.push(parent.pid);
    await ended;
    await expect.poll(() => readProcess(parent.pid)?.session, { interval: 5, timeout: 60_000 }).toBe(parent.pid);
    expect(await endGroup(ref, { graceMs: 5000 })).toBe(true);
    expect(readProcess(child.pid)).toMatchObject({ group: ref.pid, ended: true });
    expect(isAlive(parent)).toBe(true);
  });

  it('says so when the group is long gone', async () => {
    const { ref, ended } = await startGroup('echo $$');
    await ended;
    expect(await endGroup(ref, { graceMs: 5000 })).toBe(true);
  });

  it('can be called twice at once', async () => {
    const { ref } = await startGroup('echo $$; sleep 1000');
    const both = [endGroup(ref, { graceMs: 5000 }), endGroup(ref, { graceMs: 5000 })];
    expect(await Promise.all(both)).toEqual([true, true]);
  });

  it('ends the group of a starter that was killed, from its reference alone', async () => {
    const program = programPath('spawn-and-wait.js');
    const script = 'trap "" TERM HUP; sleep 1000 & echo $!; wait';
    const starter = spawn(process.execPath, [program, script, 'release'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: starter.stdout })[Symbol.asyncIterator]();
    const ref: ProcessRef = JSON.parse((await lines.next()).value);
    groups.push(ref.pid);
    const members = [toProcessRef(Number((await lines.next()).value))];
    starter.kill('SIGKILL');
    await once(starter, 'exit');
    expect(alive([ref, ...members])).toEqual([true, true]);
    expect(await endGroup(ref, { graceMs: 50 })).toBe(true);
    expect(alive([ref, ...members])).toEqual([false, false]);
  });
});

describe('endGroups', () => {
  it('[BAD-123] ends stubborn, obedient and stopped groups together, and leaves alone what is not ours', async () => {
    const stubborn = await startGroup('trap "" TERM; echo $$; while :; do sleep 0.01; done');
    const obedient = await startGroup('echo $$; exec sleep 1000');
    const stopped = await startGroup('echo $$; kill -STOP $$; sleep 1000');
    const other = await startGroup('echo $$; exec sleep 1000');
    const elsewhere = { ...other.ref, host: `not-${currentHost()}` };
    const ours = [stubborn.ref, obedient.ref, stopped.ref];
    const states = await endGroups([...ours, elsewhere], { graceMs: 200 });
    expect([...states.values()]).toEqual(['gone', 'gone', 'gone', 'unclear']);
    expect(alive([...ours, other.ref])).toEqual([false, false, false, true]);
    // Asked first, each of them, and killed only if that did not help.
    expect([await obedient.ended, await stopped.ended, await stubborn.ended]).toEqual([
      [null, 'SIGTERM'],
      [null, 'SIGTERM'],
      [null, 'SIGKILL'],
    ]);
  });
});

describe('endGroup leaves others alone', () => {
  it('a leader with another start time', async () => {
    const { ref } = await startForeign('echo $$; sleep 1000');
    const recycled = { ...ref, startTime: ref.startTime.replace(/.$/, (digit) => String((Number(digit) + 1) % 10)) };
    expect(await endGroup(recycled, { graceMs: 50 })).toBe(true);
    expect(isAlive(ref)).toBe(true);
  });

  it.runIf(isLinux)('a leader from before the last boot', async () => {
    const { ref } = await startForeign('echo $$; sleep 1000');
    const earlier = { ...ref, startTime: `00000000-0000-0000-0000-000000000000/${ref.startTime.split('/')[1]}` };
    expect(await endGroup(earlier, { graceMs: 50 })).toBe(true);
    expect(isAlive(ref)).toBe(true);
  });

  it('a group without leader and without our mark, and does not claim that ours is gone', async () => {
    const { child, ref, members } = await startForeign('sleep 1000 >/dev/null & echo $!');
    await once(child, 'close');
    expect(await endGroup(ref, { graceMs: 50 })).toBe(false);
    expect(alive(members)).toEqual([true]);
  });

  it.runIf(isLinux)('a group without leader in a session our leader never opened', async () => {
    const { members } = await startForeign(
      'set -m; (sleep 1000 >/dev/null & echo $! $BASHPID) & wait; exec sleep 1000',
    );
    const [job, leader] = members as [ProcessRef, ProcessRef];
    // Not only dead but collected: a zombie is still the leader of its group.
    await expect.poll(() => isCollected(leader.pid), { interval: 5, timeout: 60_000 }).toBe(true);
    groups.push(leader.pid);
    expect(await endGroup({ ...job, pid: leader.pid }, { graceMs: 50 })).toBe(true);
    expect(isAlive(job)).toBe(true);
  });

  it('a group of another host', async () => {
    const { ref } = await startForeign('echo $$; sleep 1000');
    expect(await endGroup({ ...ref, host: `not-${currentHost()}` }, { graceMs: 50 })).toBe(false);
    expect(isAlive(ref)).toBe(true);
  });

  it.each([0, 1, -1, Number.NaN])('pid %d, which means more than one group', async (pid) => {
    expect(await endGroup({ host: currentHost(), pid, startTime: 'x' }, { graceMs: 0 })).toBe(false);
    killGroupNow(pid);
  });
});

describe('killGroupNow', () => {
  it('kills the whole group before it returns to the event loop', async () => {
    const { ref, members, ended } = await startGroup('trap "" TERM; sleep 1000 & echo $!; wait');
    killGroupNow(ref.pid);
    expect(await ended).toEqual([null, 'SIGKILL']);
    await expect.poll(() => alive(members), { interval: 5, timeout: 60_000 }).toEqual([false]);
  });

  it('does not mind a group that is gone', async () => {
    const { ref, ended } = await startGroup('echo $$');
    await ended;
    expect(() => killGroupNow(ref.pid)).not.toThrow();
  });
});

function isCollected(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
