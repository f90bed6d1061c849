import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { HostlessMonitor, type HostlessMonitorOptions } from '../../../src/host/keeper/hostless-monitor.ts';
import { LedgerFile } from '../../../src/host/keeper/ledger-file.ts';

function openMonitor(options: Partial<HostlessMonitorOptions>) {
  let isOver = false;
  const onAbandoned = () => {
    isOver = true;
  };
  const monitor = new HostlessMonitor({
    isLedgerGone: () => false,
    retryWrites: () => false,
    dropEnded: () => {},
    onAbandoned,
    ...options,
  });
  /** How many looks it takes until it is over. */
  return (most: number) => {
    let looks = 0;
    for (; looks < most && !isOver; looks++) monitor.check();
    return looks;
  };
}

function openFile() {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-file-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, 'host.db');
  writeFileSync(path, 'one');
  return { dir, path, file: new LedgerFile(path) };
}

it('[FIRST-154] a keeper waits a day for a host, and tries for an hour to write down an answer', () => {
  let tries = 0;
  const retryWrites = () => {
    tries += 1;
    return true;
  };
  expect(openMonitor({})(100_000)).toBe(43_200);
  expect(openMonitor({ retryWrites })(100_000)).toBe(1800);
  expect(tries).toBe(360);
});

it('[FIRST-163] a keeper looks once a minute for calls that were ended without it', () => {
  let clearings = 0;
  const dropEnded = () => {
    clearings += 1;
  };
  openMonitor({ dropEnded })(300);
  expect(clearings).toBe(10);
});

it('[FIRST-149] a ledger is gone when it is away on two looks, with its directory or without, or another has its place', () => {
  const deleted = openFile();
  expect(deleted.file.isGone()).toBe(false);
  rmSync(deleted.dir, { recursive: true });
  expect([deleted.file.isGone(), deleted.file.isGone()]).toEqual([false, true]);

  const moved = openFile();
  renameSync(moved.path, `${moved.path}.away`);
  expect(moved.file.isGone()).toBe(false);
  renameSync(`${moved.path}.away`, moved.path);
  expect([moved.file.isGone(), moved.file.isGone()]).toEqual([false, false]);

  const replaced = openFile();
  writeFileSync(`${replaced.path}.new`, 'two');
  renameSync(`${replaced.path}.new`, replaced.path);
  expect([replaced.file.isGone(), replaced.file.isGone()]).toEqual([false, true]);
});
