/**
 * An app's task store: `mcpTasks` in a JSON file that may hold other things of the app, which are left alone.
 *
 * It is there to be looked at, for status and details; the result prompt in the log is what ends a call. Reading is
 * tolerant and bounded: a file that is missing, broken or too long has no tasks. A broken one is never written over: the
 * app may be in the middle of writing it.
 */
import { open, rename, rm } from 'node:fs/promises';
import { crashPoint } from '../../crash-point.ts';
import { TaskError } from '../../errors.ts';
import { withFileLock } from '../../process/file-lock.ts';
import { cutText } from '../cut-text.ts';
import { isObject } from './wire.ts';

const STATUSES = ['queued', 'running', 'completed', 'failed', 'aborted'] as const;

export type StoredStatus = (typeof STATUSES)[number];

/** One task as apps store it; times are ISO 8601, empty when they have not come. */
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

const LONGEST_FILE = 64 * 1024 * 1024;
const MOST_TASKS = 200;
const LONGEST_TEXT = 4000;

export function isStoredEnd(status: StoredStatus): boolean {
  return status !== 'queued' && status !== 'running';
}

/** Every task of a store, in the order of the file. */
export async function readTaskStore(path: string): Promise<StoredTask[]> {
  return toTasks(await readState(path).catch(() => ({})));
}

/** Puts a task in, or changes the fields given of one that is there. One that has ended does not begin again. */
export function writeStoredTask(path: string, task: Partial<StoredTask> & { readonly id: string }): Promise<void> {
  return withFileLock(path, async () => {
    const state = await readState(path);
    const tasks = toTasks(state);
    const known = tasks.find(({ id }) => id === task.id);
    // Whoever tells that it runs may be slower than whoever tells that it has ended.
    if (known && isStoredEnd(known.status) && task.status !== undefined && !isStoredEnd(task.status)) return;
    const next = parseTask({ ...known, ...cutTexts(task) });
    if (next === undefined) return;
    const all = known ? tasks.map((one) => (one === known ? next : one)) : [...tasks, next];
    await replace(path, { version: 1, ...state, updatedAt: new Date().toISOString(), mcpTasks: bound(all) });
  });
}

async function readState(path: string): Promise<{ readonly [key: string]: unknown }> {
  const text = await readText(path);
  if (text === undefined) return {};
  try {
    const state: unknown = JSON.parse(text);
    if (isObject(state)) return state;
  } catch {
    // Told below, with the path.
  }
  throw new TaskError('STORE_CORRUPT', `${path} is no JSON object; repair it, or move it away`);
}

async function readText(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    if (size <= LONGEST_FILE) return await file.readFile('utf8');
    throw new TaskError('STORE_FULL', `${path} is ${size} bytes long; legal are at most ${LONGEST_FILE}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function toTasks({ mcpTasks }: { readonly [key: string]: unknown }): StoredTask[] {
  return Array.isArray(mcpTasks) ? mcpTasks.flatMap((value) => parseTask(value) ?? []) : [];
}

function parseTask(value: unknown): StoredTask | undefined {
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

function cutTexts<T extends Partial<StoredTask>>(task: T): T {
  const { resultText } = task;
  if (resultText === undefined || resultText.length <= LONGEST_TEXT) return task;
  return { ...task, resultText: `${cutText(resultText, LONGEST_TEXT)}\n\n…` };
}

/** Of too many, those that ended first go first. */
function bound(tasks: readonly StoredTask[]): StoredTask[] {
  const surplus = Math.max(0, tasks.length - MOST_TASKS);
  const ended = tasks.filter(({ status }) => isStoredEnd(status));
  const gone = new Set(ended.slice(0, surplus));
  return tasks.filter((task) => !gone.has(task));
}

async function replace(path: string, state: object): Promise<void> {
  const next = `${path}.next`;
  await rm(next, { force: true });
  {
    await using file = await open(next, 'wx', 0o600);
    await file.writeFile(`${JSON.stringify(state, undefined, 2)}\n`);
    await file.sync();
  }
  crashPoint('prompt-task:before');
  await rename(next, path);
  crashPoint('prompt-task:after');
}
