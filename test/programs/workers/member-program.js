// @ts-check
/**
 * One of several machines on a store in PostgreSQL: it submits work of its own, and runs whatever there is.
 *
 * `HOLDFAST_MEMBER` is `{ journal, shared, paceMs, leaseMs }`, the address of the database comes from `HOLDFAST_TEST_URL`.
 * Every line of stdin names a held call, which is submitted and answered with its task id. A held call runs, and a program
 * that it has started runs, until there is a file of its name in `shared`; both note there again and again that they live. A file
 * `calm` there ends its own work, which it says by a file, too.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { createEngine } from 'holdfast';
import { openPostgresStore } from 'holdfast/postgres';
import { openJournal, steadyNow } from '../../../dist/apps/chaos/journal.js';
import { createWorkload } from '../../../dist/apps/chaos/workload.js';

const { journal: journalDir, shared, paceMs, leaseMs } = JSON.parse(process.env.HOLDFAST_MEMBER ?? '{}');
const { HOLDFAST_TEST_URL: url = '', HOLDFAST_TEST_SCHEMA: schema = '' } = process.env;
const toolJournal = openJournal(journalDir, 'tool');
const journal = openJournal(journalDir, 'submitter');
const NOTE_MS = 50;

/** @typedef {{ callId: string, ms?: number }} Call */

/** @param {Call} call @param {import('holdfast').TaskContext} task */
async function held({ callId }, task) {
  const act = { callId, taskId: task.taskId, attempt: task.attempt, parent: process.ppid };
  toolJournal.write({ kind: 'begun', ...act });
  const release = join(shared, callId);
  const notes = join(shared, `alive-${callId}-${process.env.HOLDFAST_CHAOS_RUN}`);
  const loop = 'while [ ! -e "$0" ]; do read up rest < /proc/uptime; echo $up >> "$1"; sleep 0.05; done';
  const env = { ...process.env, HOLDFAST_CHAOS_CHILD: '1' };
  const { exit } = await task.spawn('sh', ['-c', loop, release, `${notes}-child`], { env });
  while (!existsSync(release)) {
    appendFileSync(`${notes}-tool`, `${steadyNow()}\n`);
    await pause(NOTE_MS, undefined, { signal: task.signal });
  }
  await exit;
  toolJournal.write({ kind: 'finished', ...act });
  return `done ${callId}`;
}

const { once, again, steps, children } = createWorkload(toolJournal);
const tools = { once, again, steps, children, held: { idempotent: true, run: held } };
const engine = await createEngine({
  name: 'member',
  store: await openPostgresStore({ url, schema, onError: () => {} }),
  identity: 'members',
  tools: /** @type {never} */ (tools),
  workers: 'inline',
  leaseMs,
});
await engine.start();
void askForWork();

for await (const callId of createInterface({ input: process.stdin })) {
  process.stdout.write(`${await submit(callId, 'held')}\n`);
}
await engine.close();
process.exit();

async function askForWork() {
  const names = /** @type {const} */ (['once', 'again', 'steps', 'children']);
  while (!existsSync(join(shared, 'calm'))) {
    await submit(`m-${randomUUID().slice(0, 13)}`, names[Math.floor(Math.random() * names.length)] ?? 'once');
    await pause(paceMs * (0.5 + Math.random()));
  }
  writeFileSync(join(shared, `calm-${process.env.HOLDFAST_CHAOS_RUN}`), '');
}

/** @param {string} callId @param {keyof typeof tools} tool */
async function submit(callId, tool) {
  const repeatable = tools[tool]?.idempotent ?? false;
  journal.write({ kind: 'asked', callId, tool, repeatable });
  try {
    const { task } = await engine.submit(tool, /** @type {never} */ ({ callId, ms: 200 }), { idempotencyKey: callId });
    journal.write({ kind: 'acknowledged', callId, taskId: task.taskId });
    return task.taskId;
  } catch (error) {
    const { code } = /** @type {{ code?: string }} */ (error);
    journal.write({ kind: 'refused', callId, code: String(code ?? error) });
    return 'refused';
  }
}
