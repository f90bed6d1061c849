/**
 * Submits tasks with idempotency keys, one after the other, and records what was acknowledged.
 *
 * First repeats what an earlier process of the same journal requested without an acknowledgement; the key must join each of these
 * to its earlier task.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createEngine, type Engine, isTaskError } from '../../index.ts';
import { readChaosEnvironment } from './chaos-environment.ts';
import { openJournal, readJournals } from './journal.ts';
import { createWorkload } from './workload.ts';

const { openStore, journalDir, leaseMs, paceMs, isCalm } = readChaosEnvironment();
const tools = createWorkload(openJournal(journalDir, 'tool'));
const engine: Engine = await createEngine({
  name: 'chaos-submitter',
  store: await openStore(),
  identity: 'chaos-submitter',
  tools,
  workers: 'detached',
  leaseMs,
  idleMs: 2000,
});
await engine.start();
// Only the submitting process gets here: in a worker, `engine.start()` does not return.
const journal = openJournal(journalDir, 'submitter');
const names = ['once', 'again', 'steps', 'children'] as const;
let isClosing = false;
process.on('SIGTERM', () => {
  isClosing = true;
});

for (const { callId, tool } of listUnacknowledged()) await submit({ callId, tool, again: true });
while (!isClosing && !isCalm()) {
  const tool = names[Math.floor(Math.random() * names.length)] ?? 'once';
  await submit({ callId: `s-${randomUUID().slice(0, 13)}`, tool });
  await pause(paceMs * (0.5 + Math.random()));
}
// Without new work it still supervises existing tasks, as any process with a started engine does.
while (!isClosing) await pause(100);
await engine.close();

interface Wanted {
  readonly callId: string;
  readonly tool: string;
  readonly again?: true;
}

async function submit({ callId, tool, again }: Wanted): Promise<void> {
  const repeatable = tools[tool]?.idempotent ?? false;
  journal.write({ kind: 'asked', callId, tool, repeatable, ...(again && { again }) });
  const args = { callId, ms: 100 + (callId.charCodeAt(2) % 16) * 80 };
  try {
    const { task } = await engine.submit(tool, args, { idempotencyKey: callId });
    journal.write({ kind: 'acknowledged', callId, taskId: task.taskId });
  } catch (error) {
    journal.write({ kind: 'refused', callId, code: isTaskError(error) ? error.code : String(error) });
  }
}

function listUnacknowledged(): { readonly callId: string; readonly tool: string }[] {
  const entries = readJournals(journalDir).filter(({ by }) => by === 'submitter');
  const settled = new Set(
    entries.flatMap((entry) => (entry.kind === 'acknowledged' || entry.kind === 'refused' ? [entry.callId] : [])),
  );
  return entries.flatMap((entry) => (entry.kind === 'asked' && !settled.has(entry.callId) ? [entry] : []));
}
