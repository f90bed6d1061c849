// @ts-check
/**
 * A host that calls servers of every dialect at once, and is killed at one named point on the way.
 *
 * node host-crash.js DIR POINT COUNT; takes up what is in the ledger, makes COUNT calls per dialect, takes and acknowledges
 * every outcome. POINT `none` goes all the way and notes the points it passed.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHost } from 'holdfast/host';
import { armCrashPoint, recordCrashPoints } from 'holdfast/testing';
import { openJournal } from './crash-journal.js';

const [dir = '', point = 'none', count = '0'] = process.argv.slice(2);
const journal = openJournal(dir);
const recording = point === 'none' ? recordCrashPoints() : undefined;
// In the middle of what it does more than once.
if (!recording) armCrashPoint(point, { hit: Number(count) > 1 ? 2 : 1 });

const host = await createHost({
  ledger: join(dir, 'ledger.db'),
  onQuestion({ callId = '' }) {
    journal.note('asked', callId);
    return { action: 'accept', content: { really: true } };
  },
});

/** @param {string} program @param {...string} args */
const command = (program, ...args) => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(`${program}.js`, import.meta.url)), ...args],
});
const reports = fileURLToPath(new URL('reports-server.js', import.meta.url));
const resumed = await host.resume();
await Promise.all([
  host.connect('modern', command('reports-server', dir)),
  host.connect('legacy', command('host-legacy-pipe', reports, dir)),
  host.connect('jobs', command('host-job-server', dir)),
]);

const taking = resumed.map(take);
for (let label = 0; label < Number(count); label++) {
  taking.push(
    begin('modern', 'render', { ms: 400, label: `m${label}` }),
    begin('legacy', 'render', { ms: 400, label: `l${label}` }),
    begin('modern', 'publish', {}),
    begin('legacy', 'publish', {}),
    begin('jobs', 'sync', { label: `j${label}` }),
  );
}
await Promise.all(taking);
for (const { callId, tool, args, outcome, ackedAt } of await host.calls({ limit: 10_000 })) {
  console.log(JSON.stringify({ callId, tool, label: args.label, outcome, isAcked: ackedAt !== undefined }));
}
await host.close();
if (recording) for (const name of recording.names) journal.note('point', name);

/** @param {string} server @param {string} tool @param {{ [key: string]: any }} args */
async function begin(server, tool, args) {
  const call = await host.call(server, tool, args);
  journal.note('called', call.callId);
  await take(call);
}

/** @param {import('holdfast/host').Call} call */
async function take(call) {
  const { kind } = await call.outcome();
  journal.note('outcome', call.callId, kind);
  if (await call.ack()) journal.note('acked', call.callId);
}
