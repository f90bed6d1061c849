/**
 * An app's task store: `mcpTasks` in a JSON file that may hold other data of the app.
 *
 * It only informs, of status and details; the result prompt in the log is what ends a call. Reading is lenient and
 * bounded: a file that is missing, broken or too long has no tasks.
 */
import { constants } from 'node:fs';
import { TaskError } from '../../../errors.ts';
import { openPlainFile } from '../../../process/plain-file.ts';
import { isObject } from '../wire.ts';

const STATUSES = ['queued', 'running', 'completed', 'failed', 'aborted'] as const;

/** The statuses of an app's own task store. */
export type StoredStatus = (typeof STATUSES)[number];

/** One task as apps store it; times are ISO 8601, empty when they are not known yet. */
export interface StoredTask {
  readonly id: string;
  readonly source: string;
  readonly status: StoredStatus;
  readonly input: string;
  readonly workingDirectory: string;
  readonly windowId: string;
  readonly runId: string;
  readonly createdAt: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly error: { readonly message: string } | null;
  readonly promptRequestId: string;
  readonly promptSentAt: string;
  readonly resultText: string;
  readonly resultStatus: string;
  readonly resultAt: string;
}

const TEXTS = [
  'source',
  'input',
  'workingDirectory',
  'windowId',
  'runId',
  'createdAt',
  'startedAt',
  'finishedAt',
  'promptSentAt',
  'resultText',
  'resultStatus',
  'resultAt',
] as const satisfies readonly (keyof StoredTask)[];

const MAX_FILE = 64 * 1024 * 1024;

export function isStoredEnd(status: StoredStatus): boolean {
  return status !== 'queued' && status !== 'running';
}

/** Returns every task of a store, in the order of the file. */
export async function readTaskStore(path: string): Promise<StoredTask[]> {
  return toTasks(await readState(path).catch(() => ({})));
}

/** Returns the whole file; throws `STORE_CORRUPT` when it is not a JSON object. */
export async function readState(path: string): Promise<{ readonly [key: string]: unknown }> {
  const text = await readText(path);
  if (text === undefined) return {};
  try {
    const state: unknown = JSON.parse(text);
    if (isObject(state)) return state;
  } catch {
    // Reported below, with the path.
  }
  throw new TaskError('STORE_CORRUPT', `${path} is no JSON object; repair it, or move it away`);
}

async function readText(path: string): Promise<string | undefined> {
  try {
    const { file, stats } = await openPlainFile(path, { flags: constants.O_RDONLY, allowLink: true });
    await using state = file;
    const { size } = stats;
    if (size <= MAX_FILE) return await state.readFile('utf8');
    throw new TaskError('STORE_FULL', `${path} is ${size} bytes long; expected at most ${MAX_FILE}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns the tasks of a file, without invalid entries. */
export function toTasks({ mcpTasks }: { readonly [key: string]: unknown }): StoredTask[] {
  return Array.isArray(mcpTasks) ? mcpTasks.flatMap((value) => parseTask(value) ?? []) : [];
}

/** Parses a value as a task; undefined when it is not one. */
export function parseTask(value: unknown): StoredTask | undefined {
  if (!isObject(value) || typeof value.id !== 'string' || value.id === '') return undefined;
  const { id, status, error, promptRequestId } = value;
  const texts = TEXTS.map((name) => [name, typeof value[name] === 'string' ? value[name] : '']);
  return {
    ...(Object.fromEntries(texts) as Record<(typeof TEXTS)[number], string>),
    id,
    status: STATUSES.find((one) => one === status) ?? 'queued',
    error: isObject(error) && typeof error.message === 'string' ? { message: error.message } : null,
    promptRequestId: typeof promptRequestId === 'string' && promptRequestId !== '' ? promptRequestId : id,
  };
}
