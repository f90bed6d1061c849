/**
 * Tells one client what happens in its runs, for as long as its connection lasts.
 *
 * Of each run: every event with its number, then the final text, that it is done, and that it is completed, once; nothing
 * after. The store is read by pages and each notification is waited for, so a client that reads slowly costs no memory:
 * what can be put together is, and what has been trimmed meanwhile comes as a gap. On a stream that was lost nobody knows what arrived: the next one is
 * told the run from its beginning, and the numbers say what is new.
 */
import type { TaskClient } from '../../../engine/task-client.ts';
import type { Task } from '../../../task/record.ts';
import { TaskNotifiers, type UnsentOutcome } from '../../shared/following/task-notifiers.ts';
import { type RunEvent, toGapEvent, toRunEvent } from '../run-event.ts';
import {
  type RunAddress,
  type StreamNotification,
  type StreamParams,
  toCompletedNotification,
  toEndNotifications,
  toStreamNotification,
} from '../wire.ts';
import { coalesce } from './coalesce.ts';
import { readRunLabel } from './run-label.ts';

/** The stream that a client hears now. */
export interface LiveStream {
  /** Aborts when another takes its place, or the connection is closed. */
  readonly signal: AbortSignal;
  /** Whether what is sent now would be heard on it. */
  isLive(): boolean;
  close(): void;
}

export type UnsentRunOutcome = UnsentOutcome<readonly StreamNotification[]>;

/** The way to a client. */
export interface StreamChannel {
  /** Resolves when the client is ready for more. */
  notify(method: string, params: StreamParams): Promise<void>;
  /** Waits until the client hears. Rejects when the connection is closed first. */
  waitForStream(signal: AbortSignal): Promise<LiveStream>;
  /** Whether the end of a run is to be told here. */
  shouldSendEnd(run: FollowedRun): Promise<boolean>;
  /** Tells the end, unless it has been told; `false` when the stream has gone meanwhile. */
  sendEnd(run: FollowedRun, end: UnsentRunOutcome, stream: LiveStream): Promise<boolean>;
}

/** How a run is followed. */
export interface RunDetails {
  readonly address: RunAddress;
  /** Only the end is told, in one word: the call is answered in another form. */
  readonly isEndOnly: boolean;
  /** The call took up a task that was there: what it is told does not depend on what others were told. */
  readonly isJoined: boolean;
}

export interface FollowedRun extends RunDetails {
  /** As it was when it began to be followed. */
  readonly task: Task;
}

export interface StreamFollowerOptions {
  readonly engine: TaskClient;
  readonly line: StreamChannel;
  now(): number;
  /** Hears why a run could not be followed any longer. */
  report(error: unknown): void;
}

export class StreamFollower {
  readonly #options: StreamFollowerOptions;
  readonly #notifiers: TaskNotifiers;

  constructor(options: StreamFollowerOptions) {
    this.#options = options;
    this.#notifiers = new TaskNotifiers(options.report);
  }

  /** Follows the run of a call that is being answered. */
  follow(run: FollowedRun): void {
    this.#begin(run, false);
  }

  /** Takes up a streamed run that the client knows from an earlier stream, or from another server. */
  resume(task: Task): void {
    const address = readRunLabel(task);
    if (address) this.#begin({ task, address, isEndOnly: false, isJoined: false }, true);
  }

  close(): void {
    this.#notifiers.close();
  }

  #begin(run: FollowedRun, isKnown: boolean): void {
    const { task, address, isEndOnly } = run;
    // Calls that share a task are told of it each.
    const key = JSON.stringify([task.taskId, address.rpcId, isEndOnly]);
    const send = (signal: AbortSignal) => (isEndOnly ? this.#sendEndOnly(run, signal) : this.#sendAll(run, signal));
    this.#notifiers.begin(key, send, { isKnown });
  }

  async #sendAll(run: FollowedRun, signal: AbortSignal): Promise<void> {
    const { line } = this.#options;
    for (;;) {
      const stream = await line.waitForStream(signal);
      try {
        if (!(await line.shouldSendEnd(run)) || (await this.#sendOn(stream, run))) return;
      } finally {
        stream.close();
      }
    }
  }

  /** False when the stream has gone meanwhile. */
  async #sendOn(stream: LiveStream, run: FollowedRun): Promise<boolean> {
    const { engine, line } = this.#options;
    const { task, address } = run;
    const { taskId, principal } = task;
    for await (const event of coalesce(this.#watch(task, stream.signal), this.#options.now)) {
      if (!stream.isLive()) return false;
      const { method, params } = toStreamNotification(taskId, address, event);
      await line.notify(method, params);
    }
    if (!stream.isLive()) return false;
    const read = async () => toEndNotifications(await engine.get(taskId, { principal }), address);
    const send = async (notifications: readonly StreamNotification[]) => {
      for (const { method, params } of notifications) await line.notify(method, params);
    };
    return line.sendEnd(run, { task, isKnown: false, read, send }, stream);
  }

  async *#watch({ taskId, principal }: Task, signal: AbortSignal): AsyncGenerator<RunEvent> {
    const { engine, now } = this.#options;
    let unsentFrom: number | undefined;
    for await (const event of engine.watch(taskId, { principal, signal })) {
      if (event.type === 'gap') {
        yield toGapEvent(event, now());
        continue;
      }
      const runEvent = toRunEvent(event);
      // Who counts the numbers must not wait for those that are not told: the next event stands for them, too.
      if (runEvent) yield unsentFrom === undefined ? runEvent : { ...runEvent, from: unsentFrom };
      unsentFrom = runEvent ? undefined : (unsentFrom ?? event.seq);
    }
  }

  async #sendEndOnly({ task, address }: FollowedRun, signal: AbortSignal): Promise<void> {
    const { engine, line } = this.#options;
    const { taskId, principal } = task;
    await engine.outcome(taskId, { principal, signal });
    const stream = await line.waitForStream(signal);
    stream.close();
    const { method, params } = toCompletedNotification(await engine.get(taskId, { principal }), address);
    await line.notify(method, params);
  }
}
