/**
 * Follows the call that a view is shown beside.
 *
 * - waiting:   the host has not sent the call's arguments yet, or its task is not known.
 * - following: the task is known and polled until it has ended.
 * - over:      the call has its result, or nothing more can be learned about it.
 */
import {
  ACT_TOOL,
  type ActRequest,
  type TaskView,
  VIEW_TOOL,
  type ViewAnswer,
  type ViewRequest,
} from '../../../src/dialects/apps/wire.ts';
import { NOT_THE_RESULT, TASK_META } from '../../../src/dialects/shared/tasks-extension.ts';
import { asObject, type JsonObject } from '../form/schema.ts';

/** The state of the followed call. */
export interface FollowedCall {
  readonly phase: 'waiting' | 'following' | 'over';
  readonly args: JsonObject;
  readonly startedAt: number;
  readonly task?: TaskView;
  /** Whether the model was told that the call goes on (hand-over). */
  readonly isHandedOver?: boolean;
  /** The call's own answer, if that is its result. */
  readonly result?: JsonObject;
  /** The reason, if the host reports that the call was cancelled. */
  readonly cancelled?: string;
  /** Why the last poll failed. */
  readonly problem?: string;
  /** When the call was over, in the server's time. */
  readonly overAt?: number;
}

export interface CallFollowerOptions {
  /** Calls a tool of the server through the host. */
  callTool(name: string, args: JsonObject): Promise<JsonObject>;
  onChange(call: FollowedCall): void;
  /** The server's time, as far as it is known. */
  now(): number;
  learnTime(now: number): void;
  /** Resolves when the view is visible. */
  whenShown(): Promise<void>;
  readonly everyMs: number;
}

export class CallFollower {
  readonly #options: CallFollowerOptions;
  #call: FollowedCall;
  #tool: string | undefined;
  #taskId: string | undefined;
  #mayAsk = false;
  #isInputKnown = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isAsking = false;

  constructor(options: CallFollowerOptions) {
    this.#options = options;
    this.#call = { phase: 'waiting', args: {}, startedAt: options.now() };
  }

  get call(): FollowedCall {
    return this.#call;
  }

  /** Called after the handshake with the host. @param mayAsk whether the host lets views call tools */
  open(tool: string | undefined, mayAsk: boolean): void {
    this.#tool = tool;
    this.#mayAsk = mayAsk;
    this.#change({});
    this.#ask();
  }

  takeInput(args: JsonObject): void {
    this.#isInputKnown = true;
    this.#change({ args, startedAt: this.#options.now() });
    this.#ask();
  }

  /** Accepts the answer to the call: its result, or the hand-over text saying that it goes on. */
  takeResult(result: JsonObject): void {
    const taskId = findTaskId(result);
    // A task found by its arguments may belong to an equal call: the task named in this answer is the right one.
    if (taskId === undefined || taskId !== this.#taskId) this.#forget();
    if (taskId === undefined) this.#end({ result });
    else this.#follow(taskId, { isHandedOver: true });
    // If the host does not let views call tools, the text is all that can be shown.
    if (!this.#mayAsk) this.#change({ result });
    this.#ask();
  }

  takeCancelled(reason: string): void {
    // If there is a task, its outcome is polled; without one, nothing more can be learned.
    if (this.#call.task === undefined) this.#end({ cancelled: reason });
  }

  async act(request: Omit<ActRequest, 'task_id'>): Promise<void> {
    const { task } = this.#call;
    if (!task) return;
    this.#take(await this.#callTool(ACT_TOOL, { task_id: task.taskId, ...request }));
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#call = { ...this.#call, phase: 'over' };
  }

  #follow(taskId: string, part: Partial<FollowedCall> = {}): void {
    this.#taskId = taskId;
    const phase = this.#call.phase === 'waiting' ? 'following' : this.#call.phase;
    this.#change({ ...part, phase });
  }

  #forget(): void {
    const { task: _, problem: _2, overAt: _3, ...call } = this.#call;
    this.#taskId = undefined;
    this.#call = { ...call, phase: 'waiting' };
  }

  /** Polls now, unless a poll is already running; then again later, as long as there is something to learn. */
  #ask(): void {
    if (this.#isAsking || this.#call.phase === 'over' || !this.#toRequest()) return;
    clearTimeout(this.#timer);
    this.#isAsking = true;
    void this.#look().finally(() => {
      this.#isAsking = false;
      if (this.#call.phase !== 'over') this.#timer = setTimeout(() => this.#ask(), this.#options.everyMs);
    });
  }

  async #look(): Promise<void> {
    await this.#options.whenShown();
    const request = this.#toRequest();
    if (this.#call.phase === 'over' || !request) return;
    try {
      const answer = await this.#callTool(VIEW_TOOL, { ...request });
      // The answer to the call may have arrived in the meantime and named another task; then this poll's answer is dropped.
      if (this.#toRequest()?.task_id === request.task_id || answer.task?.taskId === this.#taskId) this.#take(answer);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      // A task that was not found will not be found later either.
      if (error instanceof Refused && error.code === 'TASK_NOT_FOUND') this.#end({ problem });
      else this.#change({ problem });
    }
  }

  /** The request to poll with: by task id, or by tool and arguments while the task is not known. */
  #toRequest(): ViewRequest | undefined {
    if (!this.#mayAsk) return undefined;
    if (this.#taskId !== undefined) return { task_id: this.#taskId };
    if (this.#tool === undefined || !this.#isInputKnown) return undefined;
    return { tool: this.#tool, arguments: this.#call.args };
  }

  async #callTool(name: string, args: JsonObject): Promise<ViewAnswer> {
    const { isError, structuredContent, content } = await this.#options.callTool(name, args);
    if (isError !== true) return asObject(structuredContent) as unknown as ViewAnswer;
    const [first] = Array.isArray(content) ? content : [];
    throw new Refused(String(asObject(structuredContent).code ?? ''), String(asObject(first).text ?? 'refused'));
  }

  #take({ now, task }: ViewAnswer): void {
    if (typeof now === 'number') this.#options.learnTime(now);
    if (!task || this.#call.phase === 'over') return;
    const { problem: _, ...call } = this.#call;
    this.#call = call;
    this.#follow(task.taskId);
    if (task.outcome) this.#end({ task });
    else this.#change({ task });
  }

  #end(part: Partial<FollowedCall>): void {
    clearTimeout(this.#timer);
    if (this.#call.phase !== 'over') this.#change({ ...part, phase: 'over', overAt: this.#options.now() });
  }

  #change(part: Partial<FollowedCall>): void {
    this.#call = { ...this.#call, ...part };
    this.#options.onChange(this.#call);
  }
}

class Refused extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The id of the task that a call was handed over as; undefined if the answer is its result. Some hosts do not pass `_meta` to
 * views, so the text is searched too.
 */
export function findTaskId(result: JsonObject): string | undefined {
  const { taskId } = asObject(asObject(result._meta)[TASK_META]);
  if (typeof taskId === 'string') return taskId;
  const [first] = Array.isArray(result.content) ? result.content : [];
  const { text } = asObject(first);
  if (typeof text !== 'string' || !text.includes(NOT_THE_RESULT)) return undefined;
  return /"task_id":"([^"\\]+)"/.exec(text)?.[1];
}
