/**
 * Tells one client what becomes of its jobs, for as long as its connection lasts.
 *
 * Of each job: progress that never falls, then the result once, and nothing after it. Whoever runs the work, the events
 * in the store are followed; closing stops the telling, never the work.
 */
import { setMaxListeners } from 'node:events';
import type { Access } from '../../engine/access.ts';
import type { Json } from '../../task/json.ts';
import type { Task } from '../../task/record.ts';
import { createJobStory, type JobStory } from './job-story.ts';
import { JOB_PROGRESS, JOB_RESULT, type ReportOptions, toJobResult } from './wire.ts';

type Params = { readonly [key: string]: Json };

/** The way to a client. */
export interface JobLine {
  notify(method: string, params: Params): Promise<void>;
  /** Whether something sent now would be heard. Progress that nobody hears is not told later. */
  canHear(): boolean;
  /** Tells how a job ended as soon as it would be heard, unless it has been told already. */
  tellEnd(end: JobEnd, signal: AbortSignal): Promise<void>;
}

export interface JobEnd {
  /** The job as it was when it began to be followed. */
  readonly task: Task;
  /** The client knows it from an earlier stream or connection, and not from a call that is being answered. */
  readonly isKnown: boolean;
  /** What there is to tell. */
  read(): Promise<Params>;
  /** Tells it. */
  send(params: Params): Promise<void>;
}

export interface JobFollowerOptions extends ReportOptions {
  readonly engine: Access;
  readonly line: JobLine;
  /** Hears why a job could not be followed any longer. */
  report(error: unknown): void;
}

export class JobFollower {
  readonly #options: JobFollowerOptions;
  readonly #closing = new AbortController();
  readonly #followed = new Set<string>();
  readonly #ended = new Set<string>();

  constructor(options: JobFollowerOptions) {
    this.#options = options;
    // Each job listens, and there may be hundreds.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Follows a job the client is being told of, from its beginning. */
  follow(task: Task): void {
    this.#begin(task, createJobStory(task));
  }

  /** Takes up a job that the client knows from an earlier stream or connection. */
  resume(task: Task): void {
    if (!this.#ended.has(task.taskId)) this.#begin(task, createJobStory(task, { isKnown: true }));
  }

  close(): void {
    this.#closing.abort();
  }

  #begin({ taskId }: Task, story: JobStory): void {
    if (this.#closing.signal.aborted || this.#followed.has(taskId)) return;
    this.#followed.add(taskId);
    this.#tell(story)
      .then(() => this.#ended.add(taskId))
      .catch((error: unknown) => {
        // A connection that breaks while it is closed has nothing more to say.
        if (!this.#closing.signal.aborted) this.#options.report(error);
      })
      .finally(() => this.#followed.delete(taskId));
  }

  async #tell(story: JobStory): Promise<void> {
    const { engine, line, errorDetails } = this.#options;
    const { signal } = this.#closing;
    const { task, isKnown, afterSeq } = story;
    const { taskId, principal } = task;
    // The answer that names the job goes first.
    await new Promise((resolve) => setImmediate(resolve));
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
