/**
 * Notifies one client of the changes of its jobs, for as long as its connection lasts.
 *
 * For each job it sends progress that never falls, then the result once, and nothing after that. It follows the events
 * in the store, whichever process runs the work; closing stops the notifications, never the work.
 */
import type { TaskClient } from '../../engine/task-client.ts';
import type { Json } from '../../task/json.ts';
import type { Task } from '../../task/record.ts';
import { TaskNotifiers, type UnsentOutcome } from '../shared/following/task-notifiers.ts';
import { createJobNotifications, type JobNotifications } from './job-notifications.ts';
import { JOB_PROGRESS, JOB_RESULT, type ReportOptions, toJobResult } from './wire.ts';

type Params = { readonly [key: string]: Json };

/** Sends job notifications to a client. */
export interface JobChannel {
  notify(method: string, params: Params): Promise<void>;
  /** Whether a notification sent now would be delivered. */
  canDeliver(): boolean;
  /** Resolves as soon as a notification would be delivered; rejects when the signal aborts first. */
  whenDeliverable(signal: AbortSignal): Promise<void>;
  /** Sends how a job ended as soon as that would be delivered, unless it was sent before. */
  sendEnd(end: JobEnd, signal: AbortSignal): Promise<void>;
}

export type JobEnd = UnsentOutcome<Params>;

export interface JobFollowerOptions extends ReportOptions {
  readonly engine: TaskClient;
  readonly line: JobChannel;
  /** Called with the reason why a job can no longer be followed. */
  report(error: unknown): void;
}

export class JobFollower {
  readonly #options: JobFollowerOptions;
  readonly #notifiers: TaskNotifiers;

  constructor(options: JobFollowerOptions) {
    this.#options = options;
    this.#notifiers = new TaskNotifiers(options.report);
  }

  /** Follows a job that is just being announced to the client, from its beginning. */
  follow(task: Task): void {
    this.#begin(createJobNotifications(task));
  }

  /** Resumes a job that the client knows from an earlier stream or connection. */
  resume(task: Task): void {
    this.#begin(createJobNotifications(task, { isKnown: true }));
  }

  close(): void {
    this.#notifiers.close();
  }

  #begin(notifications: JobNotifications): void {
    this.#notifiers.begin(notifications.task.taskId, (signal) => this.#sendAll(notifications, signal), notifications);
  }

  async #sendAll(notifications: JobNotifications, signal: AbortSignal): Promise<void> {
    const { engine, line, errorDetails } = this.#options;
    const { task, isKnown, afterSeq } = notifications;
    const { taskId, principal } = task;
    const progress = new JobProgress(line, this.#options.report);
    for await (const event of engine.watch(taskId, { principal, afterSeq, signal })) {
      const params = notifications.next(event);
      if (params) await progress.send(params, signal);
    }
    // No progress follows the result.
    progress.close();
    if (signal.aborted) return;
    const read = async () => toJobResult(await engine.get(taskId, { principal }), { errorDetails });
    const send = (params: Params) => line.notify(JOB_RESULT, params);
    await line.sendEnd({ task, isKnown, read, send }, signal);
  }
}

/** Sends the progress of a job. While it cannot be delivered only the latest value is kept, and sent once it can. */
class JobProgress {
  readonly #line: JobChannel;
  readonly #report: (error: unknown) => void;
  #unsent: Params | undefined;

  constructor(line: JobChannel, report: (error: unknown) => void) {
    this.#line = line;
    this.#report = report;
  }

  async send(progress: Params, signal: AbortSignal): Promise<void> {
    if (this.#line.canDeliver()) {
      this.#unsent = undefined;
      return this.#line.notify(JOB_PROGRESS, progress);
    }
    const isWaiting = this.#unsent !== undefined;
    this.#unsent = progress;
    // Closing aborts the wait, which is not an error.
    if (!isWaiting) this.#sendLater(signal).catch((error) => !signal.aborted && this.#report(error));
  }

  close(): void {
    this.#unsent = undefined;
  }

  async #sendLater(signal: AbortSignal): Promise<void> {
    await this.#line.whenDeliverable(signal);
    const progress = this.#unsent;
    this.#unsent = undefined;
    if (progress && !signal.aborted) await this.#line.notify(JOB_PROGRESS, progress);
  }
}
