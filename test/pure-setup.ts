/**
 * Enforced in every pure test: it starts no process, and every rejected promise is handled.
 *
 * A test is pure by its imports (`scripts/gate/pure-tests.mjs`); this catches tests that start a process another way.
 */
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, afterEach, expect } from 'vitest';
import { refuseProcesses } from './refuse-processes.ts';

refuseProcesses(process.getBuiltinModule('node:child_process'));
syncBuiltinESMExports();

let rejections: unknown[] = [];
const onRejection = (reason: unknown) => void rejections.push(reason);
process.on('unhandledRejection', onRejection);
afterAll(() => void process.off('unhandledRejection', onRejection));

afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  const seen = rejections;
  rejections = [];
  expect(seen, 'promises rejected without a handler').toEqual([]);
});
