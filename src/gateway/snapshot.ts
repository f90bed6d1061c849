/**
 * What a gateway has last seen of its upstreams, stored beside its store.
 *
 * A worker reads the tools from it without asking an upstream, shown names stay stable, and an upstream's tools can be listed
 * while it is away. It is a cache: a snapshot that cannot be read is rebuilt.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostTool, ServerInfo } from '../host/index.ts';
import { isObject } from '../is-object.ts';
import type { NameTable } from './names.ts';

/** Server info and tools of one upstream. */
export interface UpstreamSnapshot {
  readonly info: ServerInfo;
  readonly tools: readonly HostTool[];
}

export interface Snapshot {
  readonly upstreams: Readonly<Record<string, UpstreamSnapshot>>;
  readonly tools: NameTable;
  readonly prompts: NameTable;
  /** Upstreams that have asked questions during calls. */
  readonly asking: readonly string[];
  /** Tools, as `upstream/tool`, that took too long when tried without a task. */
  readonly slow: readonly string[];
}

const VERSION = 1;
const EMPTY: Snapshot = { upstreams: {}, tools: {}, prompts: {}, asking: [], slow: [] };

export const SNAPSHOT_FILE = 'upstreams.json';

/** Reads and writes the snapshot; without a directory, keeps it in memory only. */
export class SnapshotFile {
  /** The directory that holds the file, if any. */
  readonly directory: string | undefined;
  readonly #path: string | undefined;
  #now: Snapshot;

  constructor(directory: string | undefined) {
    this.directory = directory;
    this.#path = directory === undefined ? undefined : join(directory, SNAPSHOT_FILE);
    this.#now = this.#read();
  }

  get now(): Snapshot {
    return this.#now;
  }

  /** Reads the file again: another process may have changed it. */
  refresh(): Snapshot {
    if (this.#path !== undefined) this.#now = this.#read();
    return this.#now;
  }

  write(next: Snapshot): void {
    this.#now = next;
    if (this.#path === undefined) return;
    const draft = `${this.#path}.${process.pid}`;
    try {
      writeFileSync(draft, JSON.stringify({ version: VERSION, ...next }), { mode: 0o600 });
      renameSync(draft, this.#path);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
  }

  #read(): Snapshot {
    if (this.#path === undefined) return EMPTY;
    try {
      return parseSnapshot(JSON.parse(readFileSync(this.#path, 'utf8')));
    } catch {
      return EMPTY;
    }
  }
}

function parseSnapshot(file: unknown): Snapshot {
  if (!isObject(file) || file.version !== VERSION) return EMPTY;
  const { upstreams, tools, prompts, asking = [], slow = [] } = file;
  if (!isObject(upstreams) || !isObject(tools) || !isObject(prompts)) return EMPTY;
  if (!Array.isArray(asking) || !Array.isArray(slow)) return EMPTY;
  return { upstreams, tools, prompts, asking, slow } as unknown as Snapshot;
}
