// @ts-check
/** The engine of the crash tests: tools whose side effects can be counted, and short times. */
import { createEngine } from 'holdfast';
import { openOwnStore } from '../stores/own-store.js';
import { openJournal } from './crash-journal.js';

/**
 * @param {string} dir
 * @param {Partial<import('holdfast').EngineOptions>} [options]
 * @param {NodeJS.ProcessEnv} [env] where the store is
 */
export async function openCrashEngine(dir, options = {}, env = process.env) {
  const journal = openJournal(dir);
  const store = await openOwnStore(dir, env);
  const engine = await createEngine({
    name: 'crash',
    identity: 'crash',
    store,
    leaseMs: 6000,
    superviseMs: 50,
    parkMs: 20,
    sweepMs: 30,
    outboxVisibilityMs: 300,
    idleMs: 300,
    shutdownGraceMs: 10,
    onError: () => {},
    outbox: { bell: (message) => ring(journal, message) },
    tools: createTools(journal),
    ...options,
  });
  return { engine, store, journal };
}

/**
 * The first delivery of a task called `pay` fails, so that a message is postponed.
 *
 * @param {ReturnType<typeof openJournal>} journal
 * @param {import('holdfast').OutboxMessage} message
 */
function ring(journal, message) {
  if (message.task.tool === 'pay' && journal.first(`bell-${message.messageId}`)) throw new Error('nobody home');
  journal.ring(message);
}

/**
 * @param {ReturnType<typeof openJournal>} journal
 * @returns {Record<string, import('holdfast').Tool<object>>}
 */
function createTools(journal) {
  return {
    /** Must never happen twice. */
    pay: {
      async run(_args, task) {
        journal.note('paid', task.taskId);
        await task.progress(0.5, 'paid');
        await turn(80);
        return 'paid';
      },
    },
    /** May be run again: does a step once, asks, and is parked meanwhile. */
    build: {
      idempotent: true,
      retry: { firstDelayMs: 10, maxAttempts: 5 },
      async run(_args, task) {
        await task.step('compile', async () => journal.note('compiled', task.taskId));
        journal.note('stepped', task.taskId);
        const answer = /** @type {{ ship: boolean }} */ (
          await task.ask({
            message: 'Ship it?',
            schema: { type: 'object', properties: { ship: { type: 'boolean' } }, required: ['ship'] },
          })
        );
        return answer.ship ? 'shipped' : 'kept';
      },
    },
    /** Runs until it is cancelled, with a program of its own. */
    hang: {
      async run(_args, task) {
        const sleeper = await task.spawn('sleep', ['1000']);
        journal.note('pid', sleeper.pid);
        await task.progress(0.1, 'asleep');
        await sleeper.exit;
        task.signal.throwIfAborted();
      },
    },
    /** Fails once, in a way that is worth another attempt. */
    flaky: {
      idempotent: true,
      retry: { firstDelayMs: 10, maxAttempts: 5 },
      run: (_args, task) => {
        if (journal.first(`flaky-${task.taskId}`)) throw Object.assign(new Error('not yet'), { retryable: true });
        return 'at last';
      },
    },
    brief: { ttlMs: 0, run: () => 'gone soon' },
    /** Its first run lasts until it is stopped. */
    long: {
      idempotent: true,
      retry: { firstDelayMs: 10, maxAttempts: 5 },
      async run(_args, task) {
        if (!journal.first(`long-${task.taskId}`)) return 'done';
        await task.progress(0.1);
        await new Promise((_resolve, reject) =>
          task.signal.addEventListener('abort', () => reject(task.signal.reason)),
        );
      },
    },
  };
}

/** @param {number} ms */
function turn(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
