/** State files in the layout of the app, as its several versions write them. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface StateFixture {
  readonly dir: string;
  readonly file: string;
  /** Replaces the file as a whole. */
  write(state: object): Promise<void>;
  /** What a reader sees that comes in the middle of a write. */
  writeText(text: string): Promise<void>;
  remove(): Promise<void>;
}

export async function openState(): Promise<StateFixture> {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-state-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const file = join(dir, 'codex_app_state.v1.json');
  return {
    dir,
    file,
    async write(state) {
      const draft = `${file}.${randomUUID()}`;
      await writeFile(draft, JSON.stringify({ version: 1, updatedAt: at(0), ...state }));
      await rename(draft, file);
    },
    writeText: (text) => writeFile(file, text),
    remove: () => rm(file, { force: true }),
  };
}

export const START = Date.UTC(2026, 0, 20, 10);

/** A time in the file, in seconds after the beginning. */
const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString();

/** Events as a window's log keeps them. */
export const events = (...seqs: number[]) =>
  seqs.map((seq) => ({ seq, ts: at(seq), source: 'stderr', text: `line ${seq}` }));

export const run = (id: string, startedAt: number, status = 'running') => ({
  id,
  windowId: 'w1',
  status,
  startedAt: at(startedAt),
  finishedAt: status === 'running' ? '' : at(90),
  error: null,
  options: {},
});

export const task = (id: string, runId: string, status = 'running') => ({
  id,
  source: 'mcp',
  status,
  input: 'do it',
  windowId: 'w1',
  runId,
  createdAt: at(0),
  finishedAt: status === 'running' || status === 'queued' ? '' : at(90),
});

export const log = (list: readonly object[], windowId = 'w1') => ({
  [windowId]: { events: list, lines: [], updatedAt: at(0) },
});
