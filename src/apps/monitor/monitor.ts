/** The file monitor without any protocol; the server and the command line are built on it. */

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { type OptionsShape, optionsParser } from '../../app-kit/index.ts';
import { isTaskError } from '../../index.ts';
import type { FilterConfig, FilterList, PriorityConfig } from './config/config.ts';
import {
  addEntry,
  type ConfigDraft,
  changeConfig,
  readConfig,
  removeEntry,
  removePriority,
  setPriority,
} from './config/config-file.ts';
import { createFilter, type Decision, type Filter } from './config/filter.ts';
import { type MonitorDatabase, openMonitorDatabase } from './monitor-database.ts';
import { createPriorities } from './priority.ts';
import { estimateSync } from './scan/estimate-sync.ts';
import { toPathText } from './scan/raw-path.ts';
import { findPlace, isWithinRoots, parseTarget } from './scan/scan-target.ts';
import { type SyncOptions, syncPath } from './scan/sync-path.ts';
import type { SyncResult } from './scan/sync-report.ts';

/** The name of the server, and of the directory that holds its files. */
export const MONITOR_NAME = 'holdfast-monitor';

export interface MonitorOptions {
  /** The database file. */
  readonly database: string;
  /** Whether to create a missing database. @default true */
  readonly create?: boolean;
  /** The config file; all defaults when it is missing. */
  readonly config: string;
}

export interface MonitorStatus {
  readonly database: string;
  readonly config: string;
  readonly tracked_files: number;
  readonly last_sync: null | {
    readonly path: string;
    readonly recursive: boolean;
    readonly outcome: 'done' | 'cancelled' | 'failed';
    readonly files_processed: number;
    readonly files_updated: number;
    readonly duration_seconds: number;
    readonly ended_at: string;
  };
  /** Paths that the config names but that do not exist. */
  readonly issues: readonly string[];
}

export interface CheckedPath {
  readonly path: string;
  readonly is_monitored: boolean;
  readonly reason: string;
  readonly priority: number;
  readonly decisions: readonly Decision[];
  /** The database's record of the path. */
  readonly record: null | { readonly bytes: number; readonly checksum: string; readonly modified_at: string };
}

/** Opens the database. The config file is read again for every operation. */
export function openMonitor(options: MonitorOptions): Monitor {
  const { database, create, config } = parseOptions(options);
  return new Monitor(openMonitorDatabase(database, create), resolve(config));
}

const parseOptions = optionsParser(() => {
  const path = () => z.string('a path').min(1, 'a path');
  return z.strictObject(
    {
      database: path(),
      create: z.boolean('true or false').optional(),
      config: path(),
    } satisfies OptionsShape<MonitorOptions>,
    'an object',
  );
});

/** Reasons to refuse a path regardless of the filter. */
const OBJECTIONS = { there: undefined, missing: 'does not exist', outside: 'lies outside the allowed roots' } as const;

export class Monitor implements AsyncDisposable {
  readonly #database: MonitorDatabase;
  readonly #configFile: string;

  constructor(database: MonitorDatabase, configFile: string) {
    this.#database = database;
    this.#configFile = configFile;
  }

  /** Updates the database for a file or a directory. Throws the signal's reason when it is aborted. */
  sync(options: SyncOptions): Promise<SyncResult> {
    const config = readConfig(this.#configFile);
    return syncPath({ database: this.#database, config, filter: this.#toFilter(config.filter) }, options);
  }

  /** Estimates how long a sync will take, in ms; returns within a fraction of a second. */
  estimateMs({ path: given, recursive = false, rehash = false }: SyncOptions): number | undefined {
    try {
      const path = parseTarget(given);
      const config = readConfig(this.#configFile);
      // The estimate would reveal how much data is outside the roots.
      if (!isWithinRoots(path, config)) return undefined;
      const parts = { database: this.#database, filter: this.#toFilter(config.filter) };
      return estimateSync(parts, { path, recursive, rehash });
    } catch (error) {
      // The sync itself will report the error.
      if (isTaskError(error)) return undefined;
      throw error;
    }
  }

  status(): MonitorStatus {
    const { filter, priority, allowed_roots } = readConfig(this.#configFile);
    const named = [...filter.include_paths, ...Object.keys(priority.dirs), ...allowed_roots];
    const missing = [...new Set(named)].filter((path) => !existsSync(path));
    const last = this.#database.getLastSync();
    return {
      database: this.#database.path,
      config: this.#configFile,
      tracked_files: this.#database.countFiles(),
      last_sync: last
        ? {
            path: toPathText(last.path),
            recursive: last.recursive,
            outcome: last.outcome,
            files_processed: last.filesProcessed,
            files_updated: last.filesUpdated,
            duration_seconds: Math.round(last.durationMs) / 1000,
            ended_at: new Date(last.endedAt).toISOString(),
          }
        : null,
      issues: missing.map((path) => `${path} is in the config and does not exist`),
    };
  }

  /** Explains whether a path is monitored: it must exist, be inside the allowed roots, and pass the filter. */
  check(given: string): CheckedPath {
    const path = parseTarget(given);
    const config = readConfig(this.#configFile);
    const { decisions, isMonitored, reason } = this.#toFilter(config.filter).explain(path);
    const name = path.slice(path.lastIndexOf('/') + 1);
    const priority = createPriorities(config.priority).forDirectory(dirname(path))(name);
    const low = priority < config.min_priority && `priority ${priority} is below min_priority ${config.min_priority}`;
    const objection = OBJECTIONS[findPlace(path, config)] ?? (isMonitored && low);
    return {
      path,
      is_monitored: isMonitored && !objection,
      reason: objection || reason,
      priority,
      decisions: objection ? [...decisions, { symbol: '-', message: objection }] : decisions,
      record: this.#findRecord(path, name),
    };
  }

  showFilter(): FilterConfig {
    return readConfig(this.#configFile).filter;
  }

  /** Returns whether the entry was added; false when it already existed. */
  addFilter(list: FilterList, value: string): Promise<boolean> {
    return this.#change((draft) => addEntry(draft, list, value));
  }

  removeFilter(list: FilterList, value: string): Promise<boolean> {
    return this.#change((draft) => removeEntry(draft, list, value));
  }

  showPriority(): PriorityConfig {
    return readConfig(this.#configFile).priority;
  }

  /** Sets the priority of the files in a directory. */
  setPriority(path: string, priority: number): Promise<boolean> {
    return this.#change((draft) => setPriority(draft, path, priority));
  }

  removePriority(path: string): Promise<boolean> {
    return this.#change((draft) => removePriority(draft, path));
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  // Holds the database's lock: two processes that change the file at once would lose one of the changes.
  #change(change: (draft: ConfigDraft) => ConfigDraft): Promise<boolean> {
    return this.#database.exclusively(() => changeConfig(this.#configFile, change));
  }

  #toFilter(config: FilterConfig): Filter {
    const { path } = this.#database;
    return createFilter(config, [path, `${path}-wal`, `${path}-shm`, this.#configFile]);
  }

  #findRecord(path: string, name: string): CheckedPath['record'] {
    const directory = this.#database.findDirectory(dirname(path));
    const file = directory === undefined ? undefined : this.#database.getFile(directory, name);
    if (!file) return null;
    return { bytes: file.bytes, checksum: file.checksum, modified_at: new Date(file.mtimeMs).toISOString() };
  }
}
