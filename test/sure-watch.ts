/**
 * Reports writes to a file, for tests that count what happens between writes.
 *
 * The system gives each user a fixed number of watches (128 on many Linux machines), which all test files and programs share.
 * If none is left, the file is polled in each turn of the event loop: the product itself would fall back to polling, and such
 * a test is not about that.
 */
import { EventEmitter } from 'node:events';
import fs, { type FSWatcher, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished } from 'vitest';

// Captured before a test can replace them.
const { setImmediate: nextTurn, clearImmediate: cancelTurn } = globalThis;
const { watch } = fs;

export const sureWatch = ((path: string, options: { persistent: false }, onWrite: () => void) => {
  try {
    return watch(path, options, onWrite);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EMFILE')) throw error;
    return lookEachTurn(path, onWrite);
  }
}) as typeof watch;

/** Replaces `fs.watch` for all modules of this process, until the test ends. */
export function useSureWatch(): void {
  replaceWatch(sureWatch);
  onTestFinished(() => replaceWatch(watch));
}

function replaceWatch(begin: typeof watch): void {
  fs.watch = begin;
  syncBuiltinESMExports();
}

function lookEachTurn(path: string, onWrite: () => void): FSWatcher {
  const toMark = () => {
    const { mtimeNs, size } = statSync(path, { bigint: true });
    return `${mtimeNs} ${size}`;
  };
  let seen = toMark();
  let turn = nextTurn(function look() {
    const mark = toMark();
    if (mark !== seen) onWrite();
    seen = mark;
    turn = nextTurn(look);
  });
  const close = () => cancelTurn(turn);
  return Object.assign(new EventEmitter(), { close }) as unknown as FSWatcher;
}
