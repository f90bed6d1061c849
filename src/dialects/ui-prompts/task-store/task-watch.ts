/** Reads a task store for all followers of its tasks in this process: one read per change of the file. */
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Clock } from '../../../clock.ts';
import { DirectoryWatch } from '../../shared/directory-watch.ts';
import { readTaskStore, type StoredTask } from './task-store.ts';

interface View {
  stamp: string;
  tasks: ReadonlyMap<string, StoredTask>;
  reading: Promise<void> | undefined;
  followers: number;
  /** The callers that wait for the file to change. */
  readonly waiting: Set<() => void>;
  readonly watch: DirectoryWatch;
}

// The poll interval for changes that watching does not report.
const LOOK_MS = 1000;

const views = new Map<string, View>();

export interface TaskWatch extends Disposable {
  /** Returns the task as it is in the store now. */
  get(taskId: string): Promise<StoredTask | undefined>;
  /** Resolves when it may have changed; rejects with the signal's reason when the caller stops following it. */
  whenChanged(signal: AbortSignal): Promise<void>;
}

/** Follows a store until it is disposed of. */
export function openTaskWatch(path: string, clock: Clock): TaskWatch {
  const view = views.get(path) ?? createView(path, clock);
  view.followers += 1;
  views.set(path, view);
  return {
    async get(taskId) {
      view.reading ??= refresh(path, view).finally(() => {
        view.reading = undefined;
      });
      await view.reading;
      return view.tasks.get(taskId);
    },
    whenChanged: (signal) => waitForChange(view, signal),
    [Symbol.dispose]() {
      view.followers -= 1;
      if (view.followers > 0) return;
      view.watch.close();
      views.delete(path);
    },
  };
}

function createView(path: string, clock: Clock): View {
  const waiting = new Set<() => void>();
  const onHint = () => {
    for (const wake of [...waiting]) wake();
  };
  const options = { clock, isWatching: true, name: basename(path), intervalMs: () => LOOK_MS, onHint };
  const watch = new DirectoryWatch(dirname(path), options);
  return { stamp: '', tasks: new Map(), reading: undefined, followers: 0, waiting, watch };
}

function waitForChange({ waiting }: View, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const end = () => {
      waiting.delete(wake);
      signal.removeEventListener('abort', onAbort);
    };
    const wake = () => {
      end();
      resolve();
    };
    const onAbort = () => {
      end();
      reject(signal.reason);
    };
    waiting.add(wake);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

async function refresh(path: string, view: View): Promise<void> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  const stamp = found ? `${found.ino}:${found.size}:${found.mtimeNs}` : '';
  if (stamp === view.stamp) return;
  view.stamp = stamp;
  const tasks = await readTaskStore(path);
  view.tasks = new Map(tasks.map((task) => [task.id, task]));
}
