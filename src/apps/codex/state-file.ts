/**
 * The state file, which several processes write and anybody may read.
 *
 * Changes are collected for a moment and then made together: under the lock the file is read, changed, and replaced as
 * a whole. While nobody else has written, what this process wrote last is not parsed again. A file that is no state is
 * put aside, and a fresh one begun.
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
/** A file that takes long to write is written less often: this much of the time at most. */
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

  /** The state with everything that was changed here so far. Not to be changed. */
  async read(): Promise<CodexState> {
    if (this.#changes.length > 0) await this.flush();
    await makeDirectory(dirname(this.path));
    return withFileLock(this.path, () => this.#load());
  }

  /** To be made within a moment; what goes wrong is reported and tried again. */
  change(change: StateChange): void {
    this.#changes.push(change);
    this.#arm(this.#pauseMs);
  }

  /** Makes all changes now; throws when they cannot be written. */
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
        // A change that was made to a state that could not be written is made again to the one in the file.
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

/** Another file, or the same one with other content, has another stamp. */
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
