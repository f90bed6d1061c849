import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tryWindowLock, waitForWindowLock } from '../../../src/apps/codex/window-lock.ts';
import { currentProcess } from '../../../src/process/process-ref.ts';

const dead = JSON.stringify({ ...currentProcess(), startTime: '1' });
const { signal } = new AbortController();

async function openWindow() {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-codex-window-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return join(dir, 'window');
}

describe('the lock of a window', () => {
  it('[CODEX-30] lets one program in at a time', async () => {
    const directory = await openWindow();
    const leave = await waitForWindowLock(directory, signal);
    expect(await tryWindowLock(directory)).toBeUndefined();
    const next = waitForWindowLock(directory, signal);
    await leave();
    await (await next)();
    expect(await readdir(directory)).toEqual([]);
  });

  it('[CODEX-31] is not held up by tickets that an older build left, and clears them away', async () => {
    const directory = await openWindow();
    await mkdir(directory);
    await writeFile(join(directory, '0000000001-0000000000-0000000001'), dead);
    await writeFile(join(directory, '0000000002-0000000000-0000000002'), JSON.stringify(currentProcess()));
    const leave = await waitForWindowLock(directory, signal);
    await leave();
    expect(await readdir(directory)).toEqual([]);
  });

  it('[CODEX-32] is taken over from a process that died', async () => {
    const directory = await openWindow();
    await mkdir(directory);
    await writeFile(join(directory, 'lock'), dead);
    const leave = await waitForWindowLock(directory, signal);
    await leave();
    expect(await readdir(directory)).toEqual([]);
  });

  it('[CODEX-33] is no longer waited for by a run that is broken off', async () => {
    const directory = await openWindow();
    const leave = await waitForWindowLock(directory, signal);
    const controller = new AbortController();
    const broken = waitForWindowLock(directory, controller.signal);
    controller.abort(new Error('broken off'));
    await expect(broken).rejects.toThrow('broken off');
    await leave();
    expect(await readdir(directory)).toEqual([]);
  });
});
