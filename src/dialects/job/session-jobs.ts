import type { Task } from '../../task/record.ts';

/** Whether a task is a job that the session started, on any server. */
export function isSessionJob({ labels }: Task, sessionId: string): boolean {
  return labels?.dialect === 'job' && labels.session === sessionId;
}
