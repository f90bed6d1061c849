/**
 * One run of `codex exec --json`: its output is streamed to the task as it arrives, and its end is returned for an answer or an
 * error that says why there is none.
 */

import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { type Json, type TaskContext, TaskError, type TaskProcess } from '../../../index.ts';
import { checkProcessDirectory } from '../work-places.ts';
import {
  findFailure,
  findMessage,
  findThread,
  isThreadStart,
  type JsonObject,
  MAX_TEXT,
  parseEvent,
  type RunPiece,
  toEventPiece,
  toTextPiece,
} from './codex-event.ts';
import { LineSplitter } from './line-splitter.ts';
import { StallWatch } from './stall-watch.ts';

export interface CodexJob {
  /** Path of the program. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Written to its stdin. */
  readonly prompt: string;
  readonly stallMs: number;
  /** Called right before the start; throws when the run may not start. */
  check(): Promise<void>;
  /** Called with the thread id as soon as it is known. */
  onThread(threadId: string): void;
}

/** How the process ended, and what it reported. */
export interface CodexEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Its last message. */
  readonly message: string | undefined;
  /** The last failure it reported, unless a message came afterwards. */
  readonly failure: string | undefined;
  /** Whether it got far enough to start a thread. */
  readonly hasThread: boolean;
}

const LIMITS = { longest: 16 * 1024 * 1024, kept: MAX_TEXT };

/** Grace period after SIGTERM: the whole process tree must be gone two seconds after a cancel. */
const GRACE_MS = 1000;

/** How long to wait for output after the exit, when a process left behind keeps the pipe open. */
const DRAIN_MS = 1000;

type Task = Pick<TaskContext, 'spawn' | 'stream' | 'signal'>;

export async function runCodex(job: CodexJob, task: Task): Promise<CodexEnd> {
  const { command, args, cwd, env, prompt, stallMs } = job;
  await stream(task, { source: 'system', event: { type: 'spawn', command, args: [...args] } });
  await job.check();
  const child = await task.spawn(command, args, { cwd, env, graceMs: GRACE_MS, wholeTree: true, events: false });
  // Codex waits for its prompt and does nothing before it, so this check is in time.
  await checkProcessDirectory(child.pid, cwd);
  const parsed = { message: undefined, failure: undefined, hasThread: false } as ParsedOutput;
  const { stalled, watch } = createStall(stallMs);
  using _ = watch;
  const reading = Promise.all([
    readStdout(child, { task, parsed, watch, onThread: (id) => job.onThread(id) }),
    readStderr(child, task),
  ]);
  // If reading loses the race below, a later rejection must not be unhandled and end the process.
  reading.catch(() => {});
  child.stdin.end(prompt);
  const end = await Promise.race([child.ended, stalled]);
  await Promise.race([reading, pause(DRAIN_MS, undefined, { ref: false })]);
  child.stdout.destroy();
  child.stderr.destroy();
  return { ...end, ...parsed };
}

type ParsedOutput = { -readonly [Field in 'message' | 'failure' | 'hasThread']: CodexEnd[Field] };

interface OutputReader {
  readonly task: Task;
  readonly parsed: ParsedOutput;
  readonly watch: StallWatch;
  onThread(threadId: string): void;
}

function createStall(stallMs: number): { readonly stalled: Promise<never>; readonly watch: StallWatch } {
  let fail: (error: TaskError) => void = () => {};
  const stalled = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  stalled.catch(() => {});
  const watch = new StallWatch(stallMs, () => {
    fail(new TaskError('STALLED', `codex did nothing for ${stallMs} ms and was stopped; is there a network?`));
  });
  return { stalled, watch };
}

async function readStdout(child: TaskProcess, reader: OutputReader): Promise<void> {
  const splitter = new LineSplitter(LIMITS);
  const handleLines = async (lines: Iterable<{ text: string; length: number }>) => {
    for (const line of lines) await handleLine(line, reader);
  };
  for await (const chunk of read(child.stdout)) await handleLines(splitter.push(chunk));
  await handleLines(splitter.end());
}

async function handleLine(line: { text: string; length: number }, reader: OutputReader): Promise<void> {
  if (line.text.trim() === '' && line.length === line.text.length) return;
  const { task, watch } = reader;
  const event = parseEvent(line);
  if (event === undefined) return stream(task, toTextPiece('raw', line));
  watch.onEvent(event);
  recordEvent(event, reader);
  await stream(task, toEventPiece(event, line.length));
}

function recordEvent(event: JsonObject, { parsed, onThread }: OutputReader): void {
  const message = findMessage(event);
  if (message !== undefined) {
    parsed.message = message;
    parsed.failure = undefined;
  }
  parsed.failure = findFailure(event) ?? parsed.failure;
  parsed.hasThread ||= isThreadStart(event);
  const thread = findThread(event);
  if (thread !== undefined) onThread(thread);
}

async function readStderr(child: TaskProcess, task: Task): Promise<void> {
  const decoder = new TextDecoder();
  const streamText = async (text: string) => {
    const whole = text.trimEnd();
    if (whole !== '') await stream(task, toTextPiece('stderr', { text: whole, length: whole.length }));
  };
  for await (const chunk of read(child.stderr)) await streamText(decoder.decode(chunk, { stream: true }));
  await streamText(decoder.decode());
}

/** Output that is cut off when the run ends is not an error. */
async function* read(output: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of output) yield chunk as Buffer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

async function stream(task: Task, piece: RunPiece): Promise<void> {
  await task.stream(piece as unknown as Json);
}
