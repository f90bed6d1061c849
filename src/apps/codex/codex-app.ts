/** What the tools of the Codex app share: its settings, its store and its state files. */
import { join } from 'node:path';
import { type Access, isTaskError, OPERATOR, type Task } from '../../index.ts';
import { type CallMeta, checkDataDirectory, type DataPlaces, findDataDirectory, STATE_FILE } from './call-place.ts';
import type { CodexSettings } from './codex-options.ts';
import { reconcile } from './reconcile.ts';
import { StateFile } from './state-file.ts';

export interface CodexAppOptions {
  readonly settings: CodexSettings;
  readonly access: Access;
  readonly places: DataPlaces;
  report(error: unknown): void;
}

export interface CodexApp extends CodexAppOptions {
  /** The data directory of a call, ready to be written to. */
  openDataDirectory(meta: CallMeta): Promise<string>;
  /** The state in a data directory; put right when this process first looks at it. */
  openState(dataDir: string): Promise<StateFile>;
  /** Writes what has been collected. */
  flush(): Promise<void>;
}

export function createCodexApp(options: CodexAppOptions): CodexApp {
  const { access, places, report } = options;
  const states = new Map<string, { readonly file: StateFile; readonly ready: Promise<void> }>();

  const find = async (taskId: string): Promise<Task | undefined> => {
    try {
      return await access.get(taskId, { principal: OPERATOR });
    } catch (error) {
      if (isTaskError(error, 'TASK_NOT_FOUND')) return undefined;
      throw error;
    }
  };
  const open = (dataDir: string) => {
    const file = new StateFile(join(dataDir, STATE_FILE), report);
    const ready = reconcile(file, find);
    // A state that could not be put right is looked at again by whoever needs it next.
    ready.catch(() => states.delete(dataDir));
    const opened = { file, ready };
    states.set(dataDir, opened);
    return opened;
  };

  return {
    ...options,
    async openDataDirectory(meta) {
      const dataDir = await findDataDirectory(meta, places);
      await checkDataDirectory(dataDir);
      return dataDir;
    },
    async openState(dataDir) {
      const { file, ready } = states.get(dataDir) ?? open(dataDir);
      await ready;
      return file;
    },
    async flush() {
      await Promise.all([...states.values()].map(({ file }) => file.flush()));
    },
  };
}
