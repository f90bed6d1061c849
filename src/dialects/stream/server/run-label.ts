import type { Task } from '../../../task/record.ts';
import type { RunAddress } from '../wire.ts';

/** The label that keeps with a task how its run is told of. */
const RUN_LABEL = 'run';

export function toRunLabel(address: RunAddress): { readonly [RUN_LABEL]: string } {
  return { [RUN_LABEL]: JSON.stringify(address) };
}

/** How the run of a task is told of; nothing when it is no run. */
export function readRunLabel({ labels }: Task): RunAddress | undefined {
  const label = labels?.[RUN_LABEL];
  return label === undefined ? undefined : (JSON.parse(label) as RunAddress);
}

/** Whether the call of a task was answered by a stream, and to this session. */
export function isSessionRun({ labels }: Task, sessionId: string): boolean {
  return labels?.dialect === 'stream' && labels.session === sessionId;
}
