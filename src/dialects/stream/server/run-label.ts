import type { Task } from '../../../task/record.ts';
import type { RunAddress } from '../wire.ts';

/** The label that stores the address of its run with a task. */
const RUN_LABEL = 'run';

export function toRunLabel(address: RunAddress): { readonly [RUN_LABEL]: string } {
  return { [RUN_LABEL]: JSON.stringify(address) };
}

/** Returns the address of a task's run; undefined when the task is not a run. */
export function readRunLabel({ labels }: Task): RunAddress | undefined {
  const label = labels?.[RUN_LABEL];
  return label === undefined ? undefined : (JSON.parse(label) as RunAddress);
}

/** Whether the call of a task was answered by a stream, and in this session. */
export function isSessionRun({ labels }: Task, sessionId: string): boolean {
  return labels?.dialect === 'stream' && labels.session === sessionId;
}
