import { json } from 'node:stream/consumers';
import { TaskError } from '../errors.ts';
import type { Claimed, Lease } from '../store/contract.ts';
import { Attempt, type AttemptHost } from './attempt.ts';
import { isHeld, toLoss } from './lease.ts';
import type { ParsedTool } from './tool.ts';

/** The inside of an isolated attempt: reads the claimed task from stdin, runs it, and returns when it is over. */
export async function runAttemptProcess(
  host: Pick<AttemptHost, 'store' | 'clock' | 'router' | 'parkMs' | 'abortGraceMs' | 'report'>,
  tools: ReadonlyMap<string, ParsedTool>,
): Promise<void> {
  const { claimed, lease } = (await json(process.stdin)) as { claimed: Claimed; lease: Lease };
  const tool = tools.get(claimed.task.tool);
  if (!tool) throw new TaskError('TOOL_NOT_FOUND', `this program has no tool ${JSON.stringify(claimed.task.tool)}`);
  // Slots are counted by the worker that started this process.
  const attempt = new Attempt({ ...host, onWait: () => {}, onGoOn: async () => {} }, tool, { claimed, lease });
  const stopListening = host.router.onTask(lease.taskId, () => void check());
  const check = async () => {
    const task = await host.store.tasks.get({ taskId: lease.taskId });
    if (!isHeld(task, lease)) attempt.lose(toLoss(task));
  };
  await check();
  await attempt.run();
  stopListening();
}
