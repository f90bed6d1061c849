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
import type { LeaseWriter } from './lease-writer.ts';
import type { AskOptions } from './question-form.ts';
import type { Questions } from './questions.ts';
import type { Scrub } from './scrub.ts';
import { type ArtifactOptions, storeArtifact } from './store-artifact.ts';
import type { SpawnTaskProcessOptions, TaskProcess, TaskProcesses } from './task-processes.ts';
import { toJson } from './verdict.ts';

/** The context of a running tool: everything that it can do. */
export interface TaskContext {
  readonly taskId: string;
  readonly principal: string;
  /** The number of this attempt; 1 for the first. */
  readonly attempt: number;
  readonly trace: TraceContext | undefined;
  /** How long work of this kind is expected to take, if known. */
  readonly estimateMs: number | undefined;
  /** The labels that the caller submitted with the task. */
  readonly labels: Readonly<Record<string, string>>;
  /** Aborts when the task is cancelled, times out, stalls, is parked, or now belongs to another worker. */
  readonly signal: AbortSignal;

  /** Reports progress: 0..1, or any rising number when the total is unknown. Cheap; call it in loops. */
  progress(value: number, message?: string): Promise<void>;
  /** Adds a line to the task's history. */
  log(level: LogLevel, message: string, data?: Json): Promise<void>;
  /** Emits a piece of output to every client that follows the task. */
  stream(data: Json): Promise<void>;

  /**
   * Asks the caller and waits for the answer, across restarts if necessary.
   *
   * Resolves with the form's values, the sampling result or the roots. A declined or cancelled question throws
   * `QUESTION_DECLINED`.
   */
  ask<Schema extends StandardSchema>(question: FormQuestion<Schema>): Promise<StandardOutput<Schema>>;
  ask(question: AskOptions): Promise<Json>;

  /**
   * Runs `fn` until its value is stored, and never after: when the tool runs again, it gets the stored value. Before `fn`
   * starts, the store is asked whether this worker still holds the task. One gap remains: a process that dies inside
   * `fn`, or is suspended between that check and `fn`, may cause `fn` to run again. Names are unique in a task. The first
   * run gets the same value as later ones: what JSON restores.
   */
  step<T>(name: string, fn: () => T | Promise<T>): Promise<Jsonify<T>>;

  /**
   * Waits for something outside, however long: meanwhile the task occupies no slot, and its run time does not count. An
   * idempotent tool may be aborted inside `wait`, so it must lose nothing there; heed the signal.
   */
  idle<T>(wait: () => Promise<T>): Promise<T>;

  /**
   * Stores a text or a file beside the task until it expires, for everyone who may read the task. The returned value fits
   * into the content of a result: `{ type: 'resource_link', ...artifact }`. Storing the same name again replaces it.
   */
  artifact(name: string, data: string | Uint8Array, options?: ArtifactOptions): Promise<Artifact>;

  /** Spawns a program in a process group of its own, which never outlives the attempt. */
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
  /** Masks redacted arguments and secret answers in everything the tool reports. */
  readonly scrub: Scrub;
  /** Reads the store and throws unless this attempt still holds the lease. */
  readonly check: () => Promise<void>;
  /** Called when the tool has shown a sign of life, which restarts the stall timer. */
  readonly onSign: () => void;
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warning', 'error'];

/** Creates the context that the tool of one attempt gets. */
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
    // Checked here: in the store, a bad value would fail the whole write, including an outcome written with it.
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
      return storeArtifact(
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

/** Marks rejections as handled: an unhandled one would end the process, with every other task in it. */
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
    await writer.writeStep({ name, value });
    return value as Jsonify<T>;
  };
}
