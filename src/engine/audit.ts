/**
 * Who did what to tasks, as one line of JSON each.
 *
 * The lines hold names, times and reasons, and never arguments, answers or results; where payloads are encoded they hold no
 * reasons either. They are for the operator alone: the file lies in the store's directory with mode 0600. It is renamed
 * when it is full, and only a few old ones are kept. A failure to write is reported, and hinders nobody's work.
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

/** Something that somebody did. */
export interface AuditEntry {
  /** Epoch ms. */
  readonly at: number;
  readonly action: 'answered' | 'cancelled' | 'taken-over' | 'adopted' | 'pruned' | 'rerun';
  readonly by: Actor;
  readonly taskId?: string;
  readonly tool?: string;
  /** Whose task it is. */
  readonly principal?: string;
  /** Of the questions that were answered. */
  readonly keys?: readonly string[];
  readonly reason?: string;
  /** Which task it runs again, and from which step on. */
  readonly rerunOf?: string;
  readonly fromStep?: string;
  /** How many tasks were dropped, and how many tombstones. */
  readonly expired?: number;
  readonly forgotten?: number;
}

/** Is told of everything that is done to a task by somebody. */
export type Audit = (entry: AuditEntry) => void;

/** How an engine is audited. */
export type AuditOption = boolean | Audit;

const FILE = 'audit.jsonl';
const OLD = /^audit\.\d+\.jsonl$/;
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

interface AuditPlace {
  readonly directory: string | undefined;
  /** Whether payloads are encoded at rest: then nobody's own words lie in the file. */
  readonly isEncoded: boolean;
  report(error: unknown): void;
}

/** The audit of an engine; nothing when it is not wanted. */
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

/** The audit file of a store, if some engine keeps one: what the operator does belongs there too. */
export function findAudit(directory: string | undefined, report: (error: unknown) => void): Audit | undefined {
  if (directory === undefined) return undefined;
  const exists = statSync(join(directory, FILE), { throwIfNoEntry: false }) !== undefined;
  return exists ? openAuditFile(directory, report) : undefined;
}

/** What `audit` may be. */
export function isAuditOption(value: unknown): boolean {
  return typeof value === 'boolean' || typeof value === 'function';
}

function openAuditFile(directory: string, report: (error: unknown) => void): Audit {
  const path = join(directory, FILE);
  const append = (line: string) => {
    if (writeLine(path, line) > AUDIT_FILE.maxBytes) rotate(directory, path);
  };
  const safe = toSafe((entry: AuditEntry) => append(`${toLine(entry)}\n`), report);
  // The file says to other programs of this store that an audit is kept.
  append('');
  return safe;
}

/**
 * Opened for each line: other processes write to the same file, and rename it. Never a link or a second name of another
 * file: whoever could place one would choose the file that grows.
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

/** Root prunes and cancels in stores of other users, whose engines must be able to go on with a file that it began. */
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

/** Plain ASCII: no byte of a client's reaches a terminal that shows the file. */
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
