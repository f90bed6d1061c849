// @ts-check
/**
 * A host with a child that outlives it.
 *
 * node host-of-stubborn.js DIR POINT; it is killed at the crash point, or says `connected` and stays.
 */
import { join } from 'node:path';
import { createHost } from 'holdfast/host';
import { armCrashPoint, until } from 'holdfast/testing';
import { programPath } from '../program-path.js';

const [dir = '', point = 'none', held] = process.argv.slice(2);
const server = programPath('stubborn-server.js');
const host = await createHost({ ledger: join(dir, 'ledger', 'host.db'), keeper: held === 'keeper' });
if (point !== 'none') armCrashPoint(point);
process.stdout.write('connecting\n');
await host.connect('stubborn', {
  command: process.execPath,
  args: [server, dir],
  passEnv: ['HOLDFAST_TEST_FILE'],
  // Whoever waits for the output of this program waits for this program only.
  stderr: 'ignore',
});
process.stdout.write('connected\n');
await until(() => false, { timeoutMs: 600_000 });
