// @ts-check
/**
 * A host that is killed when its call is with the server, and before it has the answer.
 *
 * node host-cut.js LEDGER DIR
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHost } from 'holdfast/host';
import { armCrashPoint, until } from 'holdfast/testing';
import { programPath } from '../program-path.js';

const [ledger = '', dir = ''] = process.argv.slice(2);
const server = programPath('reports-server.js');
// Without a keeper, which would write the handle down for it.
const host = await createHost({ ledger, keeper: false });
await host.connect('reports', { command: process.execPath, args: [server, dir], passEnv: ['HOLDFAST_TEST_FILE'] });
armCrashPoint('call-handle:before');
await host.call('reports', 'render', { ms: 500, label: 'cut' });
await until(() => existsSync(join(dir, 'runs.txt')) && readFileSync(join(dir, 'runs.txt'), 'utf8') !== '');
await until(() => false, { timeoutMs: 60_000 });
