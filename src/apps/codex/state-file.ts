/**
 * The state file, which several processes write and any process may read.
 *
 * Changes are collected for a moment and then written together: under the lock the file is read, changed, and replaced as a
 * whole. The file is not parsed again while no other process has written it. A file with invalid content is renamed, and a new
 * one started.
 */

import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeDirectory, withFileLock } from '../../app-kit/index.ts';
import { TaskError } from '../../index.ts';
import { MAX_STATE_BYTES } from './codex-limits.ts';
import { type CodexState, createState, parseState } from './state.ts';
import { boundState } from './state-bounds.ts';

/** Changes a state in place. */
export type StateChange = (state: CodexState) => void;

const COLLECT_MS = 120;
/** The maximum share of time spent on writing: a file that is slow to write is written less often. */
const BUSY_SHARE = 0.1;
const TROUBLE_MS = 1000;

export class StateFile {
  readonly path: string;
  readonly #report: (error: unknown) => void;
  #changes: StateChange[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #pauseMs = COLLECT_MS;
  #known: { readonly stamp: string; readonly state: CodexState } | undefined;

  constructor(path: string, report: (error: unknown) => void) {
    this.path = path;
    this.#report = report;
  }

  /** Returns the state with all changes made here so far. Callers must not modify it. */
  async read(): Promise<CodexState> {
    if (this.#changes.length > 0) await this.flush();
    await makeDirectory(dirname(this.path));
    return withFileLock(this.path, () => this.#load());
  }

  /** Queues a change, to be written within a moment; a failed write is reported and retried. */
  change(change: StateChange): void {
    this.#changes.push(change);
    this.#arm(this.#pauseMs);
  }

  /** Writes all queued changes now; throws when they cannot be written. */
  flush(): Promise<void> {
    const writing = this.#writing.catch(() => {}).then(() => this.#write());
    this.#writing = writing;
    writing.catch(() => {});
    return writing;
  }

  #arm(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.flush().catch((error) => {
        this.#report(error);
        this.#arm(TROUBLE_MS);
      });
    }, ms);
  }

  async #write(): Promise<void> {
    const changes = this.#changes;
    if (changes.length === 0) return;
    this.#changes = [];
    const begun = performance.now();
    try {
      await makeDirectory(dirname(this.path));
      await withFileLock(this.path, async () => {
        const state = await this.#load();
        // Drops the cached state: if the write fails, the changes are applied again to the state in the file.
        this.#known = undefined;
        for (const change of changes) change(state);
        await this.#replace(state);
      });
    } catch (cause) {
      this.#changes = [...changes, ...this.#changes];
      throw toWriteError(this.path, cause);
    }
    this.#pauseMs = Math.max(COLLECT_MS, (performance.now() - begun) / BUSY_SHARE);
  }

  async #load(): Promise<CodexState> {
    const stamp = await readStamp(this.path);
    if (stamp !== undefined && this.#known?.stamp === stamp) return this.#known.state;
    const state = stamp === undefined ? createState() : await this.#parse();
    if (stamp !== undefined) this.#known = { stamp, state };
    return state;
  }

  async #parse(): Promise<CodexState> {
    try {
      const { size } = await stat(this.path);
      if (size > MAX_STATE_BYTES) throw new Error(`it has ${size} bytes; expected at most ${MAX_STATE_BYTES}`);
      return parseState(await readFile(this.path, 'utf8'));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== undefined) throw cause;
      const aside = `${this.path}.corrupt-${new Date().toISOString().replaceAll(':', '-')}`;
      await rename(this.path, aside);
      const why = cause instanceof Error ? cause.message : String(cause);
      this.#report(new TaskError('STORE_CORRUPT', `${this.path} cannot be used (${why}); it was kept as ${aside}`));
      return createState();
    }
  }

  async #replace(state: CodexState): Promise<void> {
    state.updatedAt = new Date().toISOString();
    boundState(state);
    const next = `${this.path}.${randomUUID()}.next`;
    try {
      {
        await using file = await open(next, 'wx', 0o600);
        await file.writeFile(JSON.stringify(state));
        await file.sync();
      }
      const stamp = await readStamp(next);
      await rename(next, this.path);
      if (stamp !== undefined) this.#known = { stamp, state };
    } catch (error) {
      await rm(next, { force: true });
      throw error;
    }
  }
}

/** Returns a stamp that differs for another file, or for other content of the same file. */
async function readStamp(path: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs } = await stat(path, { bigint: true });
    return `${ino}:${size}:${mtimeNs}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function toWriteError(path: string, cause: unknown): unknown {
  const { code } = cause as NodeJS.ErrnoException;
  if (cause instanceof TaskError || code === undefined) return cause;
  return new TaskError('STORE_NO_ACCESS', `${path} cannot be written (${code}); choose another with --data-dir`, {
    cause,
  });
}
