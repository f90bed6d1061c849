import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { until } from 'holdfast/testing';
import { onTestFinished } from 'vitest';
import { type Monitor, openMonitor } from '../../../dist/apps/monitor/monitor.js';
import type { SyncCounts, SyncResult } from '../../../dist/apps/monitor/scan/sync-report.js';
import { MONITOR_SCHEMA } from '../../../dist/apps/monitor/schema.js';
import { openDatabase } from '../../../dist/sqlite/open.js';

/** A tree of files, and a monitor that is to know them. */
export interface Scene {
  readonly folder: string;
  readonly tree: string;
  readonly database: string;
  readonly config: string;
  readonly monitor: Monitor;
  /** A path in the tree. */
  at(...names: string[]): string;
  write(files: Readonly<Record<string, string>>): Promise<void>;
  configure(config: unknown): Promise<void>;
  /** Syncs the whole tree. */
  sync(options?: Parameters<Monitor['sync']>[0] | object): Promise<SyncResult>;
  /** Syncs it and returns the counts, for which the sync must not fail as a whole. */
  counts(options?: object): Promise<SyncCounts>;
  /** What the database holds. */
  rows(): Row[];
}

export interface Row {
  readonly path: string;
  readonly bytes: number;
  readonly checksum: string;
  readonly priority: number;
  readonly syncedAt: number;
}

export async function openScene(files: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-monitor-'));
  const tree = join(folder, 'tree');
  const database = join(folder, 'state', 'monitor.db');
  const config = join(folder, 'state', 'monitor.json');
  await mkdir(tree);
  const monitor = openMonitor({ database, config });
  onTestFinished(async () => {
    await monitor.close();
    await rm(folder, { recursive: true, force: true });
  });
  const sync = (options = {}) => monitor.sync({ path: tree, recursive: true, ...options });
  const scene: Scene = {
    folder,
    tree,
    database,
    config,
    monitor,
    at: (...names) => join(tree, ...names),
    async write(more) {
      for (const [name, text] of Object.entries(more)) {
        await mkdir(dirname(join(tree, name)), { recursive: true });
        await writeFile(join(tree, name), text);
      }
    },
    configure: (value) => writeFile(config, JSON.stringify(value)),
    sync,
    async counts(options) {
      const result = await sync(options);
      if (!result.success) throw new Error(JSON.stringify(result.messages));
      return result.data as SyncCounts;
    },
    rows: () => readRows(database),
  };
  await scene.write(files);
  return scene;
}

/** The records of a monitor database, with whole paths. */
export function readRows(path: string): Row[] {
  const db = openDatabase({ path, schema: MONITOR_SCHEMA, readOnly: true });
  try {
    return db.all<Row>(`
      WITH RECURSIVE places (id, path) AS (
        VALUES (1, '')
        UNION ALL
        SELECT directories.id, places.path || '/' || directories.name
        FROM directories JOIN places ON directories.parent = places.id
      )
      SELECT places.path || '/' || files.name AS path, bytes, checksum, priority, synced_at AS syncedAt
      FROM files JOIN places ON files.directory = places.id ORDER BY 1`);
  } finally {
    db.close();
  }
}

/** The same by other programs: `path -> sha-256` of every file in a tree. */
export async function hashByHand(tree: string): Promise<Map<string, string>> {
  const script = 'find "$0" -type f -print0 | xargs -0 -r sha256sum -z';
  const { stdout } = await promisify(execFile)('sh', ['-c', script, tree], { maxBuffer: 2 ** 28 });
  const lines = stdout.split('\0').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}

/** The texts of a result's messages of one kind. */
export function texts({ messages }: Pick<SyncResult, 'messages'>, type: string): string[] {
  return messages.filter((message) => message.type === type).map(({ text }) => text);
}

/** Waits until a thread of this process has a file open. */
export async function untilOpen(path: string): Promise<void> {
  const isOpen = async () => {
    const files = await Promise.all(
      (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    );
    return files.includes(path);
  };
  await until(isOpen, { what: `${path} to be open`, timeoutMs: 60_000 });
}
