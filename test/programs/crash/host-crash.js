// @ts-check
/**
 * A host that calls servers of every dialect at once, and is killed at one named point on the way.
 *
 * node host-crash.js DIR POINT COUNT HIT; takes up what is in the ledger, makes COUNT calls of each kind, takes and
 * acknowledges every outcome. It is killed the HIT-th time it comes to POINT; `none` goes all the way and notes the points
 * it passed.
 */
import { join } from 'node:path';
import { createHost } from 'holdfast/host';
import { armCrashPoint, recordCrashPoints } from 'holdfast/testing';
import { programPath } from '../program-path.js';
import { openJournal } from './crash-journal.js';

const [dir = '', point = 'none', count = '0', hit = '1'] = process.argv.slice(2);
const journal = openJournal(dir);
const recording = point === 'none' ? recordCrashPoints() : undefined;
if (!recording) armCrashPoint(point, { hit: Number(hit) });

const host = await createHost({
  ledger: join(dir, 'ledger.db'),
  stateDir: join(dir, 'state'),
  onQuestion({ callId = '' }) {
    journal.note('asked', callId);
    return { action: 'accept', content: { really: true } };
  },
});

/** @param {string} program @param {...string} args */
const command = (program, ...args) => ({
  command: process.execPath,
  args: [programPath(`${program}.js`), ...args],
  passEnv: ['HOLDFAST_TEST_FILE'],
});
const reports = programPath('reports-server.js');
const asyncTask = { tools: ['print'], taskIdKey: 'taskId', resultSource: 'ui_prompts' };
const resumed = await host.resume();
await Promise.all([
  host.connect('modern', { ...command('reports-server', dir), callMeta: { asyncTask } }),
  host.connect('legacy', command('host-legacy-pipe', reports, dir)),
  host.connect('jobs', command('host-job-server', dir)),
]);

const taking = resumed.map(take);
for (let label = 0; label < Number(count); label++) {
  taking.push(
    begin('modern', 'render', { ms: 400, label: `m${label}` }),
    begin('legacy', 'render', { ms: 400, label: `l${label}` }),
    begin('modern', 'render', { ms: 400, label: `s${label}` }, { meta: { stream: true } }),
    begin('modern', 'publish', {}),
    begin('legacy', 'publish', {}),
    begin('modern', 'print', { ms: 200 }),
    begin('jobs', 'sync', { label: `j${label}` }),
    begin('jobs', 'lookup', { label: `p${label}` }),
  );
}
await Promise.all(taking);
for (const { callId, tool, args, handle, outcome, ackedAt } of await host.calls({ limit: 10_000 })) {
  const { dialect } = handle ?? {};
  console.log(JSON.stringify({ callId, tool, label: args.label, dialect, outcome, isAcked: ackedAt !== undefined }));
}
await host.close();
if (recording) for (const name of recording.names) journal.note('point', name);

/** @param {Parameters<import('holdfast/host').Host['call']>} call */
async function begin(...[server, tool, args, options]) {
  const call = await host.call(server, tool, args, options);
  journal.note('called', call.callId);
  await take(call);
}

/** @param {import('holdfast/host').Call} call */
async function take(call) {
  const { kind } = await call.outcome();
  journal.note('outcome', call.callId, kind);
  if (await call.ack()) journal.note('acked', call.callId);
}
