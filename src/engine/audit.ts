/**
 * The audit: who did what to tasks, as one line of JSON each.
 *
 * The lines hold names, times and reasons, and never arguments, answers or results; where payloads are encoded they hold
 * no reasons either. They are for the operator only: the file is in the store's directory with mode 0600. It is renamed
 * when it is full, and only a few old ones are kept. A write error is reported, and blocks no work.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { TaskError } from '../errors.ts';
import { AUDIT_FILE } from '../limits.ts';
import { openPlainFileSync } from '../process/plain-file.ts';
import type { Actor } from '../task/actor.ts';

/** One audited action. */
export interface AuditEntry {
  /** When it happened, in epoch ms. */
  readonly at: number;
  readonly action: 'answered' | 'cancelled' | 'taken-over' | 'adopted' | 'pruned' | 'rerun';
  readonly by: Actor;
  readonly taskId?: string;
  readonly tool?: string;
  /** The owner of the task. */
  readonly principal?: string;
  /** The keys of the questions that were answered. */
  readonly keys?: readonly string[];
  readonly reason?: string;
  /** For a re-run: the task it repeats, and from which step on. */
  readonly rerunOf?: string;
  readonly fromStep?: string;
  /** For a prune: how many tasks were dropped, and how many tombstones. */
  readonly expired?: number;
  readonly forgotten?: number;
}

/** Called for every action on a task. */
export type Audit = (entry: AuditEntry) => void;

/** Whether an engine keeps an audit: `true` for a file in the store's directory, or a function that gets each entry. */
export type AuditOption = boolean | Audit;

const FILE = 'audit.jsonl';
const OLD = /^audit\.\d+\.jsonl$/;
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

interface AuditPlace {
  readonly directory: string | undefined;
  /** Whether payloads are encoded at rest: then the file holds no reasons, which are free text. */
  readonly isEncoded: boolean;
  report(error: unknown): void;
}

/** Creates the audit of an engine; `undefined` when it is off. */
export function createAudit(option: AuditOption, place: AuditPlace): Audit | undefined {
  const { directory, isEncoded, report } = place;
  if (option === false) return undefined;
  if (typeof option === 'function') return toSafe(option, report);
  if (directory !== undefined) {
    const write = openAuditFile(directory, report);
    return isEncoded ? ({ reason: _, ...entry }) => write(entry) : write;
  }
  const expected = 'a function, or a store that lies on disk';
  throw new TaskError('INVALID_ARGUMENT', `audit is true, and the store has no directory; expected ${expected}`);
}

/** Opens the audit file of a store, if an engine keeps one: the operator's actions belong there too. */
export function findAudit(directory: string | undefined, report: (error: unknown) => void): Audit | undefined {
  if (directory === undefined) return undefined;
  const exists = statSync(join(directory, FILE), { throwIfNoEntry: false }) !== undefined;
  return exists ? openAuditFile(directory, report) : undefined;
}

/** Whether a value is a valid `audit` option. */
export function isAuditOption(value: unknown): boolean {
  return typeof value === 'boolean' || typeof value === 'function';
}

function openAuditFile(directory: string, report: (error: unknown) => void): Audit {
  const path = join(directory, FILE);
  const append = (line: string) => {
    if (writeLine(path, line) > AUDIT_FILE.maxBytes) rotate(directory, path);
  };
  const safe = toSafe((entry: AuditEntry) => append(`${toLine(entry)}\n`), report);
  // Creates the file: its existence tells other programs of this store that an audit is kept.
  append('');
  return safe;
}

/**
 * Opened for each line: other processes append to the same file, and rename it. Symbolic links and files with a second
 * hard link are refused: an attacker who can place one could choose the file that grows.
 */
function writeLine(path: string, line: string): number {
  const { file, stats } = openPlainFileSync(path, { flags: FLAGS });
  try {
    if (stats.nlink > 1) throw new TaskError('STORE_FOREIGN', `${path} has a second name elsewhere; move it away`);
    fchmodSync(file, 0o600);
    if (stats.size === 0) giveToOwner(file, dirname(path));
    if (line !== '') writeSync(file, line);
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}

/** Root prunes and cancels in stores of other users, whose engines must be able to append to a file that root created. */
function giveToOwner(file: number, directory: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(directory);
  if (uid !== 0) fchownSync(file, uid, gid);
}

function rotate(directory: string, path: string): void {
  renameSync(path, join(directory, `audit.${Date.now()}.jsonl`));
  writeLine(path, '');
  const old = readdirSync(directory)
    .filter((name) => OLD.test(name))
    .sort();
  for (const name of old.slice(0, -AUDIT_FILE.kept)) rmSync(join(directory, name), { force: true });
}

/** Escapes all but plain ASCII: no raw byte from a client reaches a terminal that shows the file. */
function toLine(entry: AuditEntry): string {
  const toEscape = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(entry).replace(/[\u007f-\uffff]/g, toEscape);
}

function toSafe(audit: (entry: AuditEntry) => unknown, report: (error: unknown) => void): Audit {
  return (entry) => {
    try {
      Promise.resolve(audit(entry)).catch(report);
    } catch (error) {
      report(error);
    }
  };
}
