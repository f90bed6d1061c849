import { TaskError } from '../../errors.ts';
import { invalidField } from '../../invalid-field.ts';
import { MAX_KEPT_RESULT_BYTES } from '../../limits.ts';
import type { Claimed } from '../../store/contracts/task-contract.ts';
import type { Artifact } from '../../task/artifact.ts';
import type { HighRateBody, LogLevel } from '../../task/event.ts';
import type { Json } from '../../task/json.ts';
import type { Jsonify } from '../../task/jsonify.ts';
import type { TraceContext } from '../../task/record.ts';
import type { StandardOutput, StandardSchema } from '../schemas/standard-schema.ts';
import type { EventBuffer } from './event-buffer.ts';
import { type ArtifactOptions, keepArtifact } from './keep-artifact.ts';
import type { LeaseWriter } from './lease-writer.ts';
import type { AskOptions } from './question-form.ts';
import type { Questions } from './questions.ts';
import type { Scrub } from './scrub.ts';
import type { SpawnTaskProcessOptions, TaskProcess, TaskProcesses } from './task-processes.ts';
import { toJson } from './verdict.ts';

/** What a running tool can do. */
export interface TaskContext {
  readonly taskId: string;
  readonly principal: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly trace: TraceContext | undefined;
  /** How long such work is expected to take, if that is known. */
  readonly estimateMs: number | undefined;
  /** Words that the caller gave along. */
  readonly labels: Readonly<Record<string, string>>;
  /** Aborts when the task is cancelled, runs out of time, is parked, or belongs to another worker now. */
  readonly signal: AbortSignal;

  /** Says how far the work is: 0..1, or any rising number when the total is unknown. Cheap; call it in loops. */
  progress(value: number, message?: string): Promise<void>;
  /** Adds a line to the task's history. */
  log(level: LogLevel, message: string, data?: Json): Promise<void>;
  /** Hands a piece of output to whoever watches. */
  stream(data: Json): Promise<void>;

  /**
   * Asks the caller and waits for the answer, across restarts if need be.
   *
   * Resolves with the form's values, the sampling result or the roots. A declined or cancelled question throws
   * `QUESTION_DECLINED`.
   */
  ask<Schema extends StandardSchema>(question: FormQuestion<Schema>): Promise<StandardOutput<Schema>>;
  ask(question: AskOptions): Promise<Json>;

  /**
   * Runs `fn` until its value is stored, and never after: a re-run of the tool gets the stored value. Before `fn` begins
   * the store is asked whether the task is still this worker's. What is left: a process that is cut off inside `fn`, or
   * stopped between that look and `fn`, may do it again. Names are unique in a task. The first run gets the value as the
   * later ones do: as JSON gives it back.
   */
  step<T>(name: string, fn: () => T | Promise<T>): Promise<Jsonify<T>>;

  /**
   * Waits for something outside, as long as it takes: meanwhile the task takes up no slot, and its time does not count.
   * Nothing may be lost when an idempotent tool is broken off in `wait`; heed the signal there.
   */
  idle<T>(wait: () => Promise<T>): Promise<T>;

  /**
   * Keeps a text or a file beside the task, for those who may read the task, until it expires. What it returns can be put
   * into the content of a result: `{ type: 'resource_link', ...artifact }`. The same name again replaces it.
   */
  artifact(name: string, data: string | Uint8Array, options?: ArtifactOptions): Promise<Artifact>;

  /** Starts a program in a process group of its own, which never outlives the attempt. */
  spawn(command: string, args?: readonly string[], options?: SpawnTaskProcessOptions): Promise<TaskProcess>;
}

/** A question that is answered with the values of a form. */
export interface FormQuestion<Schema> {
  readonly key?: string;
  readonly message: string;
  readonly schema: Schema;
}

interface ContextParts {
  readonly claimed: Claimed;
  readonly toSignal: () => AbortSignal;
  readonly buffer: EventBuffer;
  readonly writer: LeaseWriter;
  readonly questions: Questions;
  readonly processes: TaskProcesses;
  readonly idle: TaskContext['idle'];
  readonly maxValueBytes: number;
  /** Keeps redacted arguments and secret answers out of what the tool says. */
  readonly scrub: Scrub;
  /** Throws unless the task is still ours, by a read. */
  readonly check: () => Promise<void>;
  /** The tool has shown that it is alive. */
  readonly onSign: () => void;
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warning', 'error'];

/** Puts together what one attempt's tool gets to see. */
export function createContext(parts: ContextParts): TaskContext {
  const { claimed, toSignal, buffer, questions, processes, scrub, onSign } = parts;
  const push = (event: HighRateBody) => {
    onSign();
    return buffer.push(event);
  };
  return {
    taskId: claimed.task.taskId,
    principal: claimed.task.principal,
    attempt: claimed.task.attempt,
    trace: claimed.task.trace,
    estimateMs: claimed.task.estimateMs,
    labels: claimed.task.labels ?? {},
    get signal() {
      return toSignal();
    },
    progress: guarded(async (value, message) => {
      if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
        throw invalidField('progress', value, 'a finite number from 0 up');
      }
      await push({ type: 'progress', value, ...(message === undefined ? {} : { message: scrub(String(message)) }) });
    }),
    log: guarded(async (level, message, data) => {
      if (!LEVELS.includes(level)) {
        throw invalidField('log level', level, LEVELS.join(', '));
      }
      const detail = data === undefined ? {} : { data: scrub(toJson(data, parts.maxValueBytes)) };
      await push({ type: 'log', level, message: scrub(String(message)), ...detail });
    }),
    // Checked here: in the store it would fail together with whatever is written with it, the outcome included.
    stream: guarded(async (data) => {
      await push({ type: 'stream', data: scrub(toJson(data, parts.maxValueBytes)) });
    }),
    ask: guarded((question: AskOptions) => {
      onSign();
      return questions.ask(question) as Promise<never>;
    }),
    step: guarded(createStep(parts)) as TaskContext['step'],
    idle: guarded(async (wait) => {
      toSignal().throwIfAborted();
      onSign();
      return parts.idle(wait);
    }) as TaskContext['idle'],
    artifact: guarded(async (name, data, options = {}) => {
      onSign();
      const { taskId } = claimed.task;
      return keepArtifact(
        { taskId, writer: parts.writer, maxBytes: Math.max(parts.maxValueBytes, MAX_KEPT_RESULT_BYTES) },
        name,
        { ...options, data },
      );
    }),
    spawn: guarded(async (command, args = [], options = {}) => {
      toSignal().throwIfAborted();
      onSign();
      return processes.spawn(command, args, options);
    }),
  };
}

/** A rejection that the tool does not wait for would end the process, with every other task in it. */
function guarded<Args extends unknown[], T>(fn: (...args: Args) => Promise<T>): (...args: Args) => Promise<T> {
  return (...args) => {
    const promise = fn(...args);
    promise.catch(() => {});
    return promise;
  };
}

function createStep({ claimed, check, buffer, writer, maxValueBytes, onSign }: ContextParts): TaskContext['step'] {
  const begun = new Set<string>();
  return async <T>(name: string, fn: () => T | Promise<T>): Promise<Jsonify<T>> => {
    if (typeof name !== 'string' || name === '' || begun.has(name)) {
      const why = begun.has(name) ? 'was used before in this task' : 'is no name';
      throw new TaskError(
        'INVALID_ARGUMENT',
        `step ${JSON.stringify(name)} ${why}; expected a text used once per task`,
      );
    }
    begun.add(name);
    onSign();
    if (Object.hasOwn(claimed.steps, name)) return claimed.steps[name] as Jsonify<T>;
    await check();
    const value = toJson(await fn(), maxValueBytes);
    await buffer.flush();
    await writer.keepStep({ name, value });
    return value as Jsonify<T>;
  };
}
