/**
 * Tells one client what becomes of its jobs, for as long as its connection lasts.
 *
 * Of each job: progress that never falls, then the result once, and nothing after it. Whoever runs the work, the events
 * in the store are followed; closing stops the telling, never the work.
 */
import type { TaskClient } from '../../engine/task-client.ts';
import type { Json } from '../../task/json.ts';
import type { Task } from '../../task/record.ts';
import { type FollowedOutcome, FollowedTasks } from '../shared/following/followed-tasks.ts';
import { createJobStory, type JobStory } from './job-notifications.ts';
import { JOB_PROGRESS, JOB_RESULT, type ReportOptions, toJobResult } from './wire.ts';

type Params = { readonly [key: string]: Json };

/** The way to a client. */
export interface JobChannel {
  notify(method: string, params: Params): Promise<void>;
  /** Whether something sent now would be heard. Progress that nobody hears is not told later. */
  canHear(): boolean;
  /** Tells how a job ended as soon as it would be heard, unless it has been told already. */
  tellEnd(end: JobEnd, signal: AbortSignal): Promise<void>;
}

export type JobEnd = FollowedOutcome<Params>;

export interface JobFollowerOptions extends ReportOptions {
  readonly engine: TaskClient;
  readonly line: JobChannel;
  /** Hears why a job could not be followed any longer. */
  report(error: unknown): void;
}

export class JobFollower {
  readonly #options: JobFollowerOptions;
  readonly #told: FollowedTasks;

  constructor(options: JobFollowerOptions) {
    this.#options = options;
    this.#told = new FollowedTasks(options.report);
  }

  /** Follows a job the client is being told of, from its beginning. */
  follow(task: Task): void {
    this.#begin(createJobStory(task));
  }

  /** Takes up a job that the client knows from an earlier stream or connection. */
  resume(task: Task): void {
    this.#begin(createJobStory(task, { isKnown: true }));
  }

  close(): void {
    this.#told.close();
  }

  #begin(story: JobStory): void {
    this.#told.begin(story.task.taskId, (signal) => this.#tell(story, signal), story);
  }

  async #tell(story: JobStory, signal: AbortSignal): Promise<void> {
    const { engine, line, errorDetails } = this.#options;
    const { task, isKnown, afterSeq } = story;
    const { taskId, principal } = task;
    for await (const event of engine.watch(taskId, { principal, afterSeq, signal })) {
      const progress = story.see(event);
      if (progress && line.canHear()) await line.notify(JOB_PROGRESS, progress);
    }
    if (signal.aborted) return;
    const read = async () => toJobResult(await engine.get(taskId, { principal }), { errorDetails });
    const send = (params: Params) => line.notify(JOB_RESULT, params);
    await line.tellEnd({ task, isKnown, read, send }, signal);
  }
}
