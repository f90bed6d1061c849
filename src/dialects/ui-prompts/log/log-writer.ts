/**
 * The app's side of a log: prompts, results and answers, validated before they are written.
 *
 * An entry is appended with a single write, under a lock that all our writers use, and is on disk when the promise
 * resolves. A result is written once per `requestId`, however often it is published.
 */

import { randomUUID } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { type Clock, systemClock } from '../../../clock.ts';
import { crashPoint } from '../../../crash-point.ts';
import { TaskError } from '../../../errors.ts';
import { invalidField } from '../../../invalid-field.ts';
import { withFileLock } from '../../../process/file-lock.ts';
import { makeDirectory } from '../../../process/make-directory.ts';
import type { JsonObject } from '../../host-port.ts';
import { parseName } from '../../shared/field.ts';
import { toPending } from '../prompt/pending.ts';
import { parsePrompt, parseResponse } from '../prompt/prompt.ts';
import { maskSecrets, withoutSecrets } from '../prompt/secrets.ts';
import { isResult, MAX_ENTRY, type PromptEntry, type RequestEntry, type ResultStatus, toLine } from '../wire.ts';
import { readEntries } from './log-entries.ts';
import { checkLogFile, openLog } from './log-guard.ts';
import { rotate } from './log-rotation.ts';

/** Which file a prompt log is, and how it grows. */
export interface PromptLogOptions {
  /**
   * The log; it and its directory are created when they are missing. Any file that is not a log of this user is
   * refused: a link, a file with a second name or of another user, one whose first line is not an entry.
   */
  readonly path: string;
  /** The size in bytes from which the log moves on to a new file; 0 for never. @default 5_242_880 */
  readonly maxBytes?: number;
  /** How long an unanswered entry counts as unread, in ms. @default 604_800_000 */
  readonly keepMs?: number;
  /** How long to wait for other writers, in ms. @default 10_000 */
  readonly lockTimeoutMs?: number;
  readonly clock?: Clock;
}

/** The result of a task, for the log. */
export interface ResultPrompt {
  /** The task's id, as the host gave it. */
  readonly requestId: string;
  /** What the caller gets. */
  readonly text: string;
  /** How the work ended; readers that do not know the field use only the text. */
  readonly status?: ResultStatus;
  readonly title?: string;
  readonly message?: string;
  readonly source?: string;
  readonly runId?: string;
}

/** A prompt log to write to. */
export interface PromptLog {
  /** Asks the user a question; returns the request's id. */
  request(prompt: unknown, options?: { readonly requestId?: string; readonly runId?: string }): Promise<string>;
  /** Writes how a task ended; `false` when a result was written before, and nothing is written now. */
  publishResult(result: ResultPrompt): Promise<boolean>;
  /** Writes the user's answer, with secrets masked; `false` when there is an answer already. */
  respond(requestId: string, response: unknown): Promise<boolean>;
  /** Returns the requests that wait for an answer, oldest first. */
  pending(): Promise<RequestEntry[]>;
}

const DEFAULT_MAX_BYTES = 5 * 1024 * 1024;
const DEFAULT_KEEP_MS = 7 * 24 * 3_600_000;

/** Creates a log at this path; no file is opened until an entry is written. */
export function createPromptLog(options: PromptLogOptions): PromptLog {
  const path = resolve(parseName('path', options.path));
  const place = { ...options, path, maxBytes: parseBytes(options.maxBytes) };
  const now = () => (options.clock ?? systemClock).now();
  const write = (entry: PromptEntry, canWrite: () => Promise<boolean>) => writeEntry(place, { entry, canWrite });
  return {
    async request(prompt, { requestId = randomUUID(), runId } = {}) {
      const entry = toRequest(prompt, { requestId, runId, now: now() });
      await write(entry, async () => true);
      return entry.requestId;
    },
    publishResult({ requestId, text, status, runId, ...rest }) {
      const prompt = { ...rest, kind: 'result', markdown: text, ...(status !== undefined && { resultStatus: status }) };
      const entry = toRequest(prompt, { requestId, runId, now: now() });
      return write(entry, async () => !(await readEntries(path, entry.requestId)).some(isResult));
    },
    async respond(requestId, response) {
      const id = parseName('requestId', requestId);
      const said = parseResponse(response);
      const known = await readEntries(path, id);
      const asked = known.findLast((entry) => entry.action === 'request');
      const entry = toResponse(id, maskSecrets(said, asked?.prompt), { runId: asked?.runId, now: now() });
      return write(entry, async () => !(await readEntries(path, id)).some(({ action }) => action === 'response'));
    },
    pending: async () => toPending(await readEntries(path)),
  };
}

interface EntryOptions {
  readonly runId: string | undefined;
  readonly now: number;
}

function toRequest(prompt: unknown, options: EntryOptions & { readonly requestId: string }): RequestEntry {
  const { runId, now } = options;
  const requestId = parseName('requestId', options.requestId);
  const checked = withoutSecrets(parsePrompt(prompt));
  return { ...toBase(now, runId), action: 'request', requestId, prompt: checked };
}

function toResponse(requestId: string, response: JsonObject, { now, runId }: EntryOptions): PromptEntry {
  return { ...toBase(now, runId), action: 'response', requestId, response };
}

function toBase(now: number, runId: string | undefined) {
  const run = runId !== undefined && runId !== '' ? { runId } : {};
  return { ts: new Date(now).toISOString(), type: 'ui_prompt', ...run } as const;
}

interface EntryWrite {
  readonly entry: PromptEntry;
  canWrite(): Promise<boolean>;
}

async function writeEntry(options: PromptLogOptions & { readonly maxBytes: number }, { entry, canWrite }: EntryWrite) {
  const { path, maxBytes, keepMs = DEFAULT_KEEP_MS, lockTimeoutMs } = options;
  const line = Buffer.from(toLine(entry));
  if (line.length > MAX_ENTRY)
    throw invalidField('the entry', `${line.length} bytes long`, `at most ${MAX_ENTRY} bytes`);
  await makeDirectory(dirname(path));
  const run = async () => {
    crashPoint('prompt:before');
    // Checked before the log is read, too: a stranger's file must not make us believe that a result was already
    // written.
    await checkLogFile(path);
    if (!(await canWrite())) return false;
    const now = (options.clock ?? systemClock).now();
    await append(path, line, async (size) => {
      if (maxBytes > 0 && size > 0 && size + line.length > maxBytes) await rotate(path, { maxBytes, keepMs, now });
    });
    crashPoint('prompt:after');
    return true;
  };
  return withFileLock(path, run, lockTimeoutMs === undefined ? {} : { timeoutMs: lockTimeoutMs });
}

async function append(path: string, line: Buffer, makeRoom: (size: number) => Promise<void>): Promise<void> {
  await using before = await openLog(path);
  await makeRoom((await before.stat()).size);
  await using file = await openLog(path);
  const { size } = await file.stat();
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
  // Another writer was cut off in the middle of a line; our entry must not become part of it.
  const isTorn = size > 0 && buffer[0] !== 0x0a;
  const bytes = isTorn ? Buffer.concat([Buffer.from('\n'), line]) : line;
  const { bytesWritten } = await file.write(bytes, 0, bytes.length, null);
  if (bytesWritten < bytes.length) {
    throw new TaskError('STORE_FULL', `${path} took ${bytesWritten} of ${bytes.length} bytes; make room on its disk`);
  }
  await file.datasync();
}

function parseBytes(value: unknown): number {
  if (value === undefined) return DEFAULT_MAX_BYTES;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalidField('maxBytes', value, 'a whole number of bytes, 0 for no limit');
}
