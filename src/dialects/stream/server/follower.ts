/**
 * Notifies one client of what happens in its runs, for as long as its connection lasts.
 *
 * For each run: every event with its number, then the final text, then that it is done and that it is completed, once;
 * nothing after that. The store is read in pages and each notification is awaited, so a client that reads slowly costs
 * no memory: events are merged where possible, and those trimmed meanwhile appear as a gap. What arrived on a stream
 * that was lost is unknown: the next stream is sent the run from its beginning, and the numbers show what is new.
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

/** The stream on which a client can currently be notified. */
export interface LiveStream {
  /** Aborts when another stream replaces this one, or the connection is closed. */
  readonly signal: AbortSignal;
  /** Whether a notification sent now would be delivered on it. */
  isLive(): boolean;
  close(): void;
}

export type UnsentRunOutcome = UnsentOutcome<readonly StreamNotification[]>;

/** Sends run notifications to a client. */
export interface StreamChannel {
  /** Resolves when the client is ready for more. */
  notify(method: string, params: StreamParams): Promise<void>;
  /** Waits until the client has an open stream. Rejects when the connection is closed first. */
  waitForStream(signal: AbortSignal): Promise<LiveStream>;
  /** Whether the end of a run still has to be sent here. */
  shouldSendEnd(run: FollowedRun): Promise<boolean>;
  /** Sends the end, unless it was sent before; `false` when the stream has closed meanwhile. */
  sendEnd(run: FollowedRun, end: UnsentRunOutcome, stream: LiveStream): Promise<boolean>;
}

/** How a run is followed. */
export interface RunDetails {
  readonly address: RunAddress;
  /** Whether only the end is sent, in one notification: the call itself is answered in another dialect. */
  readonly isEndOnly: boolean;
  /** Whether the call joined an existing task: what it is sent does not depend on what other calls were sent. */
  readonly isJoined: boolean;
}

export interface FollowedRun extends RunDetails {
  /** The task as it was when following began. */
  readonly task: Task;
}

export interface StreamFollowerOptions {
  readonly engine: TaskClient;
  readonly line: StreamChannel;
  now(): number;
  /** Called with the reason why a run can no longer be followed. */
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

  /** Resumes a streamed run that the client knows from an earlier stream, or from another server. */
  resume(task: Task): void {
    const address = readRunLabel(task);
    if (address) this.#begin({ task, address, isEndOnly: false, isJoined: false }, true);
  }

  close(): void {
    this.#notifiers.close();
  }

  #begin(run: FollowedRun, isKnown: boolean): void {
    const { task, address, isEndOnly } = run;
    // Calls that share a task are each notified of it.
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

  /** Sends the run on one stream; false when the stream has closed meanwhile. */
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
      // A client that counts the numbers must not wait for skipped ones: the next event covers them, too.
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
