/**
 * What must hold in every pure test: it starts no process, and no promise is rejected without anybody looking at it.
 *
 * Which tests are pure is decided by their imports (`scripts/gate/pure-tests.mjs`); this catches whoever found another way.
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
