/**
 * Tells of writes to a file, for tests that count what is done between them.
 *
 * The system gives each user a fixed number of watches (128 on many Linux machines), which all test files and programs share.
 * Where none is left, the file is looked at in each turn of the event loop: it is the product that falls back to asking
 * then, and such a test is not about that.
 */
import { EventEmitter } from 'node:events';
import fs, { type FSWatcher, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished } from 'vitest';

// Taken before others are put in their place.
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

/** Puts it in the place of `fs.watch`, for all modules of this process, until the test ends. */
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
