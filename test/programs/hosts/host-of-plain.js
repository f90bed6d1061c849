// @ts-check
/**
 * A host that makes one plain call to a plain server on stdio, and says what that took, as one line of JSON.
 *
 * node host-of-plain.js DIR; `loaded` are the files of the package that were loaded in the end, `passed` those in which a
 * function ran between `host.call()` and the end of `call.outcome()`.
 */
import { Session } from 'node:inspector/promises';
import { register } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { programPath } from '../program-path.js';

const [dir = ''] = process.argv.slice(2);
const dist = dirname(dirname(fileURLToPath(import.meta.resolve('holdfast/host'))));

/** @type {Set<string>} */
const loaded = new Set();
const { port1, port2 } = new MessageChannel();
port1.on('message', (url) => void loaded.add(url));
port1.unref();
const hooks = `
  let port;
  export const initialize = (given) => { port = given; };
  export const load = (url, context, next) => { port.postMessage(url); return next(url, context); };
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`, { data: port2, transferList: [port2] });

const { createHost } = await import('holdfast/host');
const host = await createHost({ ledger: join(dir, 'ledger', 'host.db') });
const server = programPath('toy-server.js');
await host.connect('plain', { command: process.execPath, args: [server, dir], passEnv: ['HOLDFAST_TEST_FILE'] });
await host.tools('plain');
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const call = await host.call('plain', 'wait', { gate: 'none' });
const outcome = await call.outcome();
const { result } = await session.post('Profiler.takePreciseCoverage');
await host.close();

/** @param {string} url */
const toName = (url) => relative(dist, fileURLToPath(url)).replace(/\.js$/, '.ts');
const isOurs = (/** @type {string} */ url) => url.startsWith(`${pathToFileURL(dist)}/`);
const passed = result.filter(
  ({ url, functions }) =>
    isOurs(url) && functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0),
);
const files = { loaded: [...loaded].filter(isOurs).map(toName).sort(), passed: passed.map(({ url }) => toName(url)) };
process.stdout.write(`${JSON.stringify({ outcome, ...files })}\n`);
