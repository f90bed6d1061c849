/**
 * Writes an app's task store. The app's other data in the file is kept, and a broken file is never overwritten: the app
 * may be in the middle of writing it.
 *
 * A write replaces the whole file, so changes that come during one go into the next write together: a burst of calls is
 * shown as fast as one call.
 */
import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crashPoint } from '../../../crash-point.ts';
import { TaskError } from '../../../errors.ts';
import { withFileLock } from '../../../process/file-lock.ts';
import { makeDirectory } from '../../../process/make-directory.ts';
import { isLinkError, isOwn, openPlainFile } from '../../../process/plain-file.ts';
import { cutText } from '../../../text/cut-text.ts';
import { isStoredEnd, parseTask, readState, type StoredTask, toTasks } from './task-store.ts';

const MAX_TASKS = 200;
const MAX_TEXT = 4000;

/** Changed fields of one task. */
type TaskChange = Partial<StoredTask> & { readonly id: string };

interface WaitingChange {
  readonly task: TaskChange;
  resolve(): void;
  reject(error: unknown): void;
}

const waiting = new Map<string, WaitingChange[]>();

/**
 * Adds a task, or changes the given fields of an existing one. A task that has ended does not start again. The file and
 * its directory are created when they are missing; a link, or a file of another user, is left alone.
 */
export function writeStoredTask(path: string, task: TaskChange): Promise<void> {
  return new Promise((resolve, reject) => {
    const change = { task, resolve, reject };
    const others = waiting.get(path);
    if (others) return void others.push(change);
    waiting.set(path, [change]);
    void writeWaiting(path);
  });
}

async function writeWaiting(path: string): Promise<void> {
  let changes: WaitingChange[] = [];
  const take = () => {
    changes = waiting.get(path) ?? [];
    waiting.delete(path);
  };
  try {
    await makeDirectory(dirname(path));
    await withFileLock(path, () => {
      take();
      return apply(
        path,
        changes.map(({ task }) => task),
      );
    });
    for (const { resolve } of changes) resolve();
  } catch (error) {
    // Changes that waited for the lock have failed with it.
    if (changes.length === 0) take();
    for (const { reject } of changes) reject(error);
  }
}

async function apply(path: string, changes: readonly TaskChange[]): Promise<void> {
  await checkOwn(path);
  const state = await readState(path);
  const tasks = changes.reduce(withChange, toTasks(state));
  await replace(path, { version: 1, ...state, updatedAt: new Date().toISOString(), mcpTasks: bound(tasks) });
}

function withChange(tasks: StoredTask[], change: TaskChange): StoredTask[] {
  const known = tasks.find(({ id }) => id === change.id);
  // The "running" change can arrive after the "ended" one: they are written by different processes.
  const isLate = known && isStoredEnd(known.status) && change.status !== undefined && !isStoredEnd(change.status);
  const next = isLate ? undefined : parseTask({ ...known, ...cutTexts(change) });
  if (next === undefined) return tasks;
  return known ? tasks.map((one) => (one === known ? next : one)) : [...tasks, next];
}

/** A file of another user is neither copied nor replaced. */
async function checkOwn(path: string): Promise<void> {
  const fault = await findFault(path);
  if (fault !== undefined) throw new TaskError('STORE_FOREIGN', `${path} is no task store: ${fault}; move it away`);
}

async function findFault(path: string): Promise<string | undefined> {
  try {
    const { file, stats } = await openPlainFile(path, { flags: constants.O_RDONLY });
    await file.close();
    return isOwn(stats) ? undefined : `it belongs to the user ${stats.uid}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    return isLinkError(error) ? 'it is a link' : (error as Error).message;
  }
}

function cutTexts<T extends Partial<StoredTask>>(task: T): T {
  const { resultText } = task;
  if (resultText === undefined || resultText.length <= MAX_TEXT) return task;
  return { ...task, resultText: `${cutText(resultText, MAX_TEXT)}\n\n…` };
}

/** Of too many tasks, those that ended first are removed first. */
function bound(tasks: readonly StoredTask[]): StoredTask[] {
  const surplus = Math.max(0, tasks.length - MAX_TASKS);
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
