/** The plain clients of a stage: make a few calls at a time, until no more work is wanted. */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openJournal } from '../../../apps/chaos/journal.ts';
import type { Poison } from '../fault.ts';
import { createRandom } from '../random.ts';
import type { Stage } from '../stage.ts';
import { callPlainly, type PlainCall } from './plain-client.ts';

export interface PlainClients {
  /** Submits a task that harms its worker. */
  poison(poison: Poison): void;
  /** Stops making new calls. */
  calm(): void;
  /** Stops waiting for open calls. */
  stop(): void;
  /** Whether every call has its outcome. */
  readonly isDone: boolean;
  /** Resolves when no call is waited for any more. */
  readonly ended: Promise<void>;
}

export interface PlainClientsOptions {
  readonly seed: number;
  readonly paceMs: number;
  readonly signal: AbortSignal;
}

const MAX_AT_ONCE = 6;
const BLOCK_MS = 2000;

export function startPlainClients(stage: Stage, { seed, paceMs, signal: outer }: PlainClientsOptions): PlainClients {
  const ended = new AbortController();
  outer.addEventListener('abort', () => ended.abort());
  const { signal } = ended;
  setMaxListeners(0, signal);
  const journal = openJournal(join(stage.dir, 'journal'), 'client');
  const random = createRandom(seed + 2);
  const pending = new Set<Promise<void>>();
  let isCalm = stage.foreign;
  const call = (one: Omit<PlainCall, 'callId'>) => {
    const callId = `c-${randomUUID().slice(0, 13)}`;
    const made = callPlainly({ callId, ...one }, { url: stage.url, journal, signal });
    pending.add(made);
    void made.finally(() => pending.delete(made));
  };
  const run = async () => {
    while (!isCalm && !signal.aborted) {
      const tool = random.pick(['once', 'again']);
      if (pending.size < MAX_AT_ONCE) call({ tool, repeatable: tool === 'again', ms: random.whole(50, 900) });
      await pause(paceMs * (0.5 + random.next()), undefined, { signal }).catch(() => undefined);
    }
    await Promise.all(pending);
  };
  return {
    poison: (poison) => call({ tool: poison, poison, repeatable: true, ms: BLOCK_MS }),
    calm() {
      isCalm = true;
    },
    get isDone() {
      return isCalm && pending.size === 0;
    },
    stop: () => ended.abort(),
    ended: run().finally(() => journal.close()),
  };
}
