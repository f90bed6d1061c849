/**
 * A host that makes calls, acknowledges their outcomes and records both; after a kill it first resumes its unfinished calls.
 *
 * An outcome is recorded before it is acknowledged. So an outcome that is delivered again was either not acknowledged, or there
 * is a bug.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type DeliveredOutcome, openJournal } from '../../../apps/chaos/journal.ts';
import {
  type Call,
  type CallOutcome,
  createHost,
  type Host,
  type JsonObject,
  type ServerSpec,
} from '../../../host/index.ts';

/** A tool to call, and whether repeating a call is harmless. */
interface CalledTool {
  readonly name: string;
  readonly repeatable: boolean;
  readonly args: JsonObject;
}

const { HOLDFAST_CHAOS_DIR: dir = '.', HOLDFAST_CHAOS_PACE_MS: pace = '400', HOLDFAST_CHAOS_PENDING } = process.env;
const spec = JSON.parse(process.env.HOLDFAST_CHAOS_SERVER ?? '{}') as ServerSpec;
const tools = JSON.parse(process.env.HOLDFAST_CHAOS_TOOLS ?? '[]') as readonly CalledTool[];
const journal = openJournal(join(dir, 'journal'), 'host');
const MAX_PENDING = Number(HOLDFAST_CHAOS_PENDING ?? 12);
let pending = 0;
let isClosing = false;
process.on('SIGTERM', () => {
  isClosing = true;
});

const host = await createHost({ ledger: join(dir, 'ledger', 'calls.db'), onError: () => {} });
await connect(host);
const left = await host.resume();
const ids = new Map((await host.calls({ unacked: true, limit: 100_000 })).map((call) => [call.callId, call.args]));
for (const call of left) void follow(call, String(ids.get(call.callId)?.callId ?? call.callId));
while (!isClosing && !existsSync(join(dir, 'calm'))) {
  if (pending < MAX_PENDING) await ask();
  await pause(Number(pace) * (0.5 + Math.random()));
}
while (!isClosing) await pause(100);
await host.close();

/** Retries until the server is reachable: nothing was requested from it yet. */
async function connect(to: Host): Promise<void> {
  while (!isClosing) {
    try {
      await to.connect('chaos', spec);
      return;
    } catch {
      await pause(200);
    }
  }
}

async function ask(): Promise<void> {
  const tool = tools[Math.floor(Math.random() * tools.length)];
  if (tool === undefined) return;
  const callId = `h-${randomUUID().slice(0, 13)}`;
  journal.write({ kind: 'asked', callId, tool: tool.name, repeatable: tool.repeatable });
  try {
    const call = await host.call('chaos', tool.name, { ...tool.args, callId });
    journal.write({ kind: 'acknowledged', callId });
    void follow(call, callId);
  } catch (error) {
    journal.write({ kind: 'refused', callId, code: String((error as { code?: unknown }).code ?? error) });
  }
}

async function follow(call: Call, callId: string): Promise<void> {
  pending += 1;
  try {
    journal.write({ kind: 'delivered', callId, told: toOutcome(await call.outcome()) });
    if (await call.ack()) journal.write({ kind: 'taken', callId });
  } catch {
    // Detached with the host, or the ledger failed: the next process resumes the call.
  } finally {
    pending -= 1;
  }
}

function toOutcome(outcome: CallOutcome): DeliveredOutcome {
  switch (outcome.kind) {
    case 'result':
      return { kind: outcome.isError ? 'error' : 'result', text: JSON.stringify(outcome.result) };
    case 'error': {
      const { message: text, code } = outcome.error;
      // On the wire, an interrupted task is an error with this text.
      return text.startsWith('Interrupted') ? { kind: 'interrupted', text } : { kind: 'error', text, code };
    }
    case 'cancelled':
    case 'interrupted':
    case 'expired':
    case 'timed-out':
      return { kind: outcome.kind, text: outcome.reason };
  }
}
