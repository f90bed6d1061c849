/**
 * Tools that record every action in the journal before the next one, so that their actions are known even if they are killed.
 *
 * Half of them may be repeated. The last ones harm the worker that runs them.
 */
import { setTimeout as work } from 'node:timers/promises';
import { z } from 'zod';
import type { TaskContext } from '../../index.ts';
import type { Journal } from './journal.ts';

export const callInput = z.object({
  callId: z.string(),
  ms: z.number().int().nonnegative().default(200),
});

export type CallInput = z.output<typeof callInput>;

export interface WorkloadTool {
  readonly idempotent: boolean;
  readonly run: (args: CallInput, task: TaskContext) => Promise<string>;
}

/** Above the size limit of a result. */
const TOO_LARGE = 12_000_000;
const STEPS = ['fetch', 'sort', 'send'];

export function createWorkload(journal: Journal): Readonly<Record<string, WorkloadTool>> {
  const plain = async ({ callId, ms }: CallInput, task: TaskContext) => {
    await work(ms, undefined, { signal: task.signal });
    return `done ${callId}`;
  };
  const journaled = (idempotent: boolean, body: WorkloadTool['run']): WorkloadTool => ({
    idempotent,
    async run(args, task) {
      const { callId } = args;
      const act = { callId, taskId: task.taskId, attempt: task.attempt, parent: process.ppid };
      journal.write({ kind: 'begun', ...act });
      const text = await body(args, task);
      journal.write({ kind: 'finished', ...act });
      return text;
    },
  });
  return {
    once: journaled(false, plain),
    again: journaled(true, plain),
    steps: journaled(true, (args, task) => runSteps(journal, args, task)),
    children: journaled(true, runChild),
    segfault: journaled(true, async () => {
      process.kill(process.pid, 'SIGSEGV');
      return new Promise<never>(() => {});
    }),
    exit: journaled(true, () => process.exit(3)),
    block: journaled(true, async ({ callId, ms }) => {
      for (const until = performance.now() + ms; performance.now() < until; );
      return `done ${callId}`;
    }),
    huge: journaled(true, async ({ callId }) => callId.padEnd(TOO_LARGE, '.')),
  };
}

async function runSteps(journal: Journal, { callId, ms }: CallInput, task: TaskContext): Promise<string> {
  const act = { callId, taskId: task.taskId, attempt: task.attempt };
  for (const step of STEPS) {
    await task.step(step, async () => {
      journal.write({ kind: 'step', step, ...act });
      await work(ms / STEPS.length, undefined, { signal: task.signal });
      return step;
    });
    journal.write({ kind: 'stepped', step, ...act });
  }
  return `done ${callId}`;
}

/** Runs a separate program, which must not outlive the attempt; the variable distinguishes it from a worker. */
async function runChild({ callId, ms }: CallInput, task: TaskContext): Promise<string> {
  const env = { ...process.env, HOLDFAST_CHAOS_CHILD: '1' };
  const { exit } = await task.spawn('sleep', [String(ms / 1000)], { env });
  const { code } = await exit;
  if (code !== 0) throw new Error(`sleep ended with ${code}`);
  return `done ${callId}`;
}
