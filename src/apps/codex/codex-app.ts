/** What the tools of the Codex app share: its settings, its store and its state files. */

import { join } from 'node:path';
import { isTaskError, type Task, type TaskClient } from '../../index.ts';
import {
  type CallMeta,
  checkDataDirectory,
  type DataPlaces,
  findDataDirectory,
  STATE_FILE,
  toStateDirectory,
} from './call-place.ts';
import { MAX_OPEN_STATES } from './codex-limits.ts';
import type { CodexSettings } from './codex-options.ts';
import { reconcile } from './reconcile.ts';
import { StateFile } from './state-file.ts';
import type { WorkPlaces } from './work-places.ts';

export interface CodexAppOptions {
  readonly settings: CodexSettings;
  readonly access: TaskClient;
  /** Where state files may be stored. */
  readonly data: DataPlaces;
  /** Where runs may work. */
  readonly work: WorkPlaces;
  report(error: unknown): void;
}

export interface CodexApp extends CodexAppOptions {
  /** Returns the data directory of a call, ready to be written to. */
  openDataDirectory(meta: CallMeta): Promise<string>;
  /** Opens the state of a principal in a data directory; reconciles it when this process opens it for the first time. */
  openState(dataDir: string, principal: string): Promise<StateFile>;
  /** Writes all pending changes of states. */
  flush(): Promise<void>;
}

interface OpenState {
  readonly file: StateFile;
  readonly ready: Promise<void>;
}

export function createCodexApp(options: CodexAppOptions): CodexApp {
  const { data, work, report } = options;
  const states = new Map<string, OpenState>();

  const open = (path: string, principal: string): OpenState => {
    const file = new StateFile(path, report);
    const ready = reconcile(file, (taskId) => findTask(options, taskId, principal));
    // After a failed reconcile the next request opens the state again.
    ready.catch(() => states.delete(path));
    const opened = { file, ready };
    states.set(path, opened);
    forgetOldest(states, report);
    return opened;
  };

  return {
    ...options,
    async openDataDirectory(meta) {
      const dataDir = await findDataDirectory(meta, data, work);
      await checkDataDirectory(dataDir);
      return dataDir;
    },
    async openState(dataDir, principal) {
      const path = join(toStateDirectory(dataDir, principal), STATE_FILE);
      const { file, ready } = states.get(path) ?? open(path, principal);
      await ready;
      return file;
    },
    async flush() {
      await Promise.all([...states.values()].map(({ file }) => file.flush()));
    },
  };
}

async function findTask({ access }: CodexAppOptions, taskId: string, principal: string): Promise<Task | undefined> {
  try {
    return await access.get(taskId, { principal });
  } catch (error) {
    if (isTaskError(error, 'TASK_NOT_FOUND')) return undefined;
    throw error;
  }
}

/** Closes the oldest state. A caller that still uses it can continue, because two readers of one file do not conflict. */
function forgetOldest(states: Map<string, OpenState>, report: (error: unknown) => void): void {
  const [oldest] = states;
  if (oldest === undefined || states.size <= MAX_OPEN_STATES) return;
  const [path, { file }] = oldest;
  states.delete(path);
  file.flush().catch(report);
}
