import { json } from 'node:stream/consumers';
import { TaskError } from '../../errors.ts';
import type { Claimed, Lease } from '../../store/contracts/task-contract.ts';
import type { ParsedTool } from '../tool.ts';
import { Attempt, type AttemptHost } from './attempt.ts';
import type { AttemptMessage } from './attempt-messages.ts';
import { isCurrentLease, leaseLostError, mayMeanLoss } from './lease.ts';

/** Runs inside the process of an isolated attempt: reads the claimed task from stdin, runs it, and returns when it is over. */
export async function runAttemptProcess(
  host: Pick<AttemptHost, 'store' | 'clock' | 'router' | 'parkMs' | 'abortGraceMs' | 'report'> & {
    readonly tools: ReadonlyMap<string, ParsedTool>;
  },
  send: (message: AttemptMessage) => void,
): Promise<void> {
  const { claimed, lease } = (await json(process.stdin)) as { claimed: Claimed; lease: Lease };
  const tool = host.tools.get(claimed.task.tool);
  if (!tool) throw new TaskError('TOOL_NOT_FOUND', `this program has no tool ${JSON.stringify(claimed.task.tool)}`);
  // The worker that spawned this process counts its slot and its run time.
  const onBegin = async () => send('begun');
  const onResume = async () => send('works');
  const attempt = new Attempt({ ...host, onBegin, onWait: () => send('rests'), onResume }, tool, {
    claimed,
    lease,
  });
  const check = async () => {
    try {
      const task = await host.store.tasks.get({ taskId: lease.taskId });
      if (!isCurrentLease(task, lease)) attempt.abandon(leaseLostError(task));
    } catch (error) {
      // A store that cannot be read for a moment is no reason to abort the work.
      host.report(error);
    }
  };
  const stopListening = host.router.onTask(lease.taskId, (change) => {
    if (mayMeanLoss(change)) void check();
  });
  await check();
  await attempt.run();
  stopListening();
}
