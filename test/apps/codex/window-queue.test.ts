import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { awaitTurn, dropTicket } from '../../../src/apps/codex/window-queue.ts';
import { currentProcess } from '../../../src/process/process-ref.ts';

const dead = JSON.stringify({ ...currentProcess(), startTime: '1' });
const alive = JSON.stringify(currentProcess());
const { signal } = new AbortController();

// Ids begin with ten characters of time.
const toId = (time: number, name = '') => `${String(time).padStart(10, '0')}${name}`;
const toTicket = (time: number) => `${toId(time)}-0000000000-${toId(time)}`;
const enter = (directory: string, taskId: string, stop = signal) => awaitTurn({ directory, taskId, signal: stop });

async function openQueue() {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-codex-queue-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return join(dir, 'window');
}

describe('the queue of a window', () => {
  it('[CODEX-30] gives the window to one after the other, in order of submission and of being taken up', async () => {
    const directory = await openQueue();
    const order: string[] = [];
    const leaveFirst = await enter(directory, toId(1));
    // The last two were made in the same millisecond.
    const later = [toId(3), toId(2), toId(4, 'z'), toId(4, 'a')];
    const rest = later.map(async (taskId) => {
      const leave = await enter(directory, taskId);
      order.push(taskId);
      await leave();
    });
    await until(async () => (await readdir(directory)).length === 6, { what: 'all tickets and the lock' });
    expect(order).toEqual([]);
    await leaveFirst();
    await Promise.all(rest);
    expect(order).toEqual([toId(2), toId(3), toId(4, 'z'), toId(4, 'a')]);
    expect(await readdir(directory)).toEqual([]);
  });

  it('[CODEX-31] lets the ticket of a living process go first, and keeps a place for one that died', async () => {
    const directory = await openQueue();
    await mkdir(directory);
    await writeFile(join(directory, toTicket(1)), alive);
    await writeFile(join(directory, toTicket(2)), dead);
    let isIn = false;
    const turn = enter(directory, toId(3)).then((leave) => {
      isIn = true;
      return leave;
    });
    await until(async () => (await readdir(directory)).length === 3, { what: 'the ticket' });
    await dropTicket(directory, toId(1));
    expect(isIn).toBe(false);
    // The task of the one that died comes again, and ends.
    const leave = await enter(directory, toId(2));
    expect(isIn).toBe(false);
    await leave();
    await (await turn)();
  });

  it('[CODEX-32] takes over the lock of a process that died', async () => {
    const directory = await openQueue();
    await mkdir(directory);
    await writeFile(join(directory, 'lock'), dead);
    const leave = await enter(directory, toId(1));
    await leave();
    expect(await readdir(directory)).toEqual([]);
  });

  it('[CODEX-33] is left by a run that is broken off, whose ticket keeps its place', async () => {
    const directory = await openQueue();
    const leave = await enter(directory, toId(1));
    const controller = new AbortController();
    const broken = enter(directory, toId(2), controller.signal);
    await until(async () => (await readdir(directory)).length === 3, { what: 'the ticket' });
    controller.abort(new Error('broken off'));
    await expect(broken).rejects.toThrow('broken off');
    await leave();
    const [left, ...others] = await readdir(directory);
    expect(left).toMatch(new RegExp(`-${toId(2)}$`));
    expect(others).toEqual([]);
  });
});
