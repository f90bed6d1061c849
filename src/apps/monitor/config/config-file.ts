import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectorySync } from '../../../app-kit/index.ts';
import { TaskError } from '../../../index.ts';
import {
  type FilterList,
  type MonitorConfig,
  parseConfig,
  parseEntry,
  parsePath,
  parsePriorityValue,
} from './config.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The content of a file before validation; a missing file means all defaults. */
export interface ConfigDraft {
  readonly filter?: Fields;
  readonly priority?: Fields;
}

/** Reads the config of a file. A missing file means all defaults; an error names the file, the field, and what is expected. */
export function readConfig(file: string): MonitorConfig {
  return name(file, () => parseConfig(readDraft(file)));
}

/**
 * Changes a file atomically, and returns whether there was anything to change. The caller must make sure that no other process
 * changes it at the same time.
 */
export function changeConfig(file: string, change: (draft: ConfigDraft) => ConfigDraft): boolean {
  return name(file, () => {
    const draft = readDraft(file);
    parseConfig(draft);
    const changed = change(draft);
    if (changed === draft) return false;
    parseConfig(changed);
    writeWhole(file, `${JSON.stringify(changed, null, 2)}\n`);
    return true;
  });
}

/** Returns the draft with one more entry in a list, or the same draft when it already has the entry. */
export function addEntry(draft: ConfigDraft, list: FilterList, value: unknown): ConfigDraft {
  const entry = parseEntry(list, value);
  const entries = toEntries(draft, list);
  const isThere = entries.some((one) => parseEntry(list, one) === entry);
  return isThere ? draft : { ...draft, filter: { ...draft.filter, [list]: [...entries, entry] } };
}

export function removeEntry(draft: ConfigDraft, list: FilterList, value: unknown): ConfigDraft {
  const entry = parseEntry(list, value);
  const entries = toEntries(draft, list);
  const left = entries.filter((one) => parseEntry(list, one) !== entry);
  return left.length === entries.length ? draft : { ...draft, filter: { ...draft.filter, [list]: left } };
}

export function setPriority(draft: ConfigDraft, path: unknown, value: unknown): ConfigDraft {
  const dir = parsePath(path, 'path');
  const number = parsePriorityValue(value, 'priority');
  const dirs = dropDir(toDirs(draft), dir);
  return { ...draft, priority: { ...draft.priority, dirs: { ...dirs, [dir]: number } } };
}

export function removePriority(draft: ConfigDraft, path: unknown): ConfigDraft {
  const dir = parsePath(path, 'path');
  const dirs = toDirs(draft);
  const left = dropDir(dirs, dir);
  const isThere = Object.keys(left).length < Object.keys(dirs).length;
  return isThere ? { ...draft, priority: { ...draft.priority, dirs: left } } : draft;
}

function toEntries(draft: ConfigDraft, list: FilterList): readonly unknown[] {
  return (draft.filter?.[list] as readonly unknown[] | undefined) ?? [];
}

function toDirs(draft: ConfigDraft): Readonly<Record<string, unknown>> {
  return (draft.priority?.dirs as Fields | undefined) ?? {};
}

function dropDir(dirs: Fields, dir: string): Fields {
  return Object.fromEntries(Object.entries(dirs).filter(([path]) => parsePath(path, 'priority.dirs') !== dir));
}

function readDraft(file: string): ConfigDraft {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return {};
    const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new TaskError('INVALID_ARGUMENT', `the file cannot be read (${code}); expected a readable file`, { cause });
  }
  try {
    return JSON.parse(text) as ConfigDraft;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TaskError('INVALID_ARGUMENT', `the file is not JSON: ${why}; expected an object`, { cause });
  }
}

// Atomic replace: a reader sees the old file or the new one, and a full disk leaves the old one.
function writeWhole(file: string, text: string): void {
  const draft = `${file}.${randomUUID()}`;
  try {
    makeDirectorySync(dirname(file));
    writeFileSync(draft, text, { mode: 0o600, flush: true });
    renameSync(draft, file);
  } catch (cause) {
    rmSync(draft, { force: true });
    const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new TaskError('INVALID_ARGUMENT', `the file cannot be written (${code}); choose another`, { cause });
  }
}

function name<T>(file: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof TaskError)) throw error;
    const options = { cause: error, data: { ...error.data, file } };
    throw new TaskError(error.code, `config ${file}: ${error.message}`, options);
  }
}
