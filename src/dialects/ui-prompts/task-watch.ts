/** Looks into a task store for everybody in this process who follows one of its tasks: one read per change of the file. */
import { stat } from 'node:fs/promises';
import { readTaskStore, type StoredTask } from './task-store.ts';

interface View {
  stamp: string;
  tasks: ReadonlyMap<string, StoredTask>;
  reading: Promise<void> | undefined;
  followers: number;
}

const views = new Map<string, View>();

export interface TaskWatch extends Disposable {
  /** The task as the store has it now. */
  get(taskId: string): Promise<StoredTask | undefined>;
}

/** Follows a store until it is disposed of. */
export function openTaskWatch(path: string): TaskWatch {
  const view = views.get(path) ?? { stamp: '', tasks: new Map(), reading: undefined, followers: 0 };
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
    [Symbol.dispose]() {
      view.followers -= 1;
      if (view.followers === 0) views.delete(path);
    },
  };
}

async function refresh(path: string, view: View): Promise<void> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  const stamp = found ? `${found.ino}:${found.size}:${found.mtimeNs}` : '';
  if (stamp === view.stamp) return;
  view.stamp = stamp;
  const tasks = await readTaskStore(path);
  view.tasks = new Map(tasks.map((task) => [task.id, task]));
}
