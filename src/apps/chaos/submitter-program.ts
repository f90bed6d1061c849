/**
 * Submits tasks with keys, one after the other, and notes what was acknowledged.
 *
 * What an earlier process of the same journal has asked for without an acknowledgement is asked for again first: by its
 * key it must be joined.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createEngine, type Engine, isTaskError } from '../../index.ts';
import { openJournal, readJournals } from './journal.ts';
import { readSurroundings } from './surroundings.ts';
import { createWorkload } from './workload.ts';

const { openStore, journalDir, leaseMs, paceMs, isCalm } = readSurroundings();
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
// Only in the submitting process: a worker stays above.
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
// Without new work it still looks after what is there, as any process does that has its engine started.
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
