/** How Codex is run: set by the owner of the server, on the command line or in a config file. Clients cannot change any of it. */

import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { type OptionsPlace, type OptionsShape, optionsParser } from '../../app-kit/index.ts';
import { SANDBOXES } from './sandbox-modes.ts';

const APPROVALS = ['never', 'on-request', 'on-failure', 'untrusted'] as const;
const EFFORTS = ['minimal', 'low', 'medium', 'high', 'xhigh'] as const;

export interface CodexOptions {
  /** The program: a path, or a name on `PATH`. @default 'codex' */
  readonly codexCommand?: string;
  /** What Codex may access. `danger-full-access` lets it do anything this user can. @default 'workspace-write' */
  readonly sandboxMode?: (typeof SANDBOXES)[number];
  /** When Codex asks before it acts. No person can answer, so any value except `never` makes it refuse. @default 'never' */
  readonly approvalPolicy?: (typeof APPROVALS)[number];
  readonly model?: string | null;
  readonly modelReasoningEffort?: (typeof EFFORTS)[number] | null;
  readonly networkAccessEnabled?: boolean | null;
  readonly webSearchEnabled?: boolean | null;
  readonly experimentalWindowsSandboxEnabled?: boolean | null;
  /** @default true */
  readonly skipGitRepoCheck?: boolean;
  /** Absolute paths of directories that Codex may write to in every run, in addition to the working directory. */
  readonly additionalDirectories?: readonly string[];
  /**
   * Absolute paths of directories in which calls may choose a working directory, which a run may write to. The directory the
   * server was started in counts too, unless it is a home directory or similarly broad. Without roots a client could have Codex
   * write anywhere.
   *
   * @default []
   */
  readonly roots?: readonly string[];
  /** The longest a run may take, in ms, without its time in the queue. @default 1_800_000 */
  readonly maxRunMs?: number;
  /** Ends a run that has been inactive for this long, in ms, as a run without a network is. @default 600_000 */
  readonly stallMs?: number;
  /** How many runs may execute at once, in different windows. @default 8 */
  readonly concurrency?: number;
  /** A longer answer is written to a file, and the result holds its beginning. @default 1_048_576 */
  readonly maxTextBytes?: number;
}

/** Options with every default filled in. */
export type CodexSettings = Required<CodexOptions>;

const parseFields = optionsParser(() => {
  const fields = {
    codexCommand: rule<string>('a non-empty text', isText).default('codex'),
    sandboxMode: oneOf(SANDBOXES).default('workspace-write'),
    approvalPolicy: oneOf(APPROVALS).default('never'),
    model: rule<string | null>(`${WORD}, or null`, (value) => value === null || isWord(value)).default(null),
    modelReasoningEffort: orNull(EFFORTS).default(null),
    networkAccessEnabled: flagOrNull().default(null),
    webSearchEnabled: flagOrNull().default(null),
    experimentalWindowsSandboxEnabled: flagOrNull().default(null),
    skipGitRepoCheck: z.boolean('true or false').default(true),
    additionalDirectories: paths().default([]),
    roots: paths().default([]),
    maxRunMs: whole().default(1_800_000),
    stallMs: whole().default(600_000),
    concurrency: whole().default(8),
    maxTextBytes: whole().default(1_048_576),
  } satisfies OptionsShape<CodexOptions>;
  const names = Object.keys(fields).join(', ');
  return z.strictObject(fields, { error: ({ code }) => (code === 'unrecognized_keys' ? names : 'an object') });
});

/** Validates the options and fills in the defaults; throws `INVALID_ARGUMENT` that names the field and what is expected. */
export function parseCodexOptions(options: unknown, place?: OptionsPlace): CodexSettings {
  return parseFields(options, place);
}

const WORD = 'a text of at most 200 characters without spaces that does not begin with -';

// A value that begins with a dash would be parsed as an option.
function isWord(value: unknown): boolean {
  return typeof value === 'string' && /^[^\s-]\S{0,199}$/.test(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

// A relative path would be resolved from the directory that a call chose.
function isPath(value: unknown): boolean {
  return typeof value === 'string' && isAbsolute(value) && !value.includes('\0');
}

function rule<T>(expected: string, isValid: (value: unknown) => boolean): z.ZodType<T> {
  return z.custom<T>(isValid, expected);
}

function whole(): z.ZodType<number> {
  return rule('a whole number above 0', (value) => Number.isSafeInteger(value) && (value as number) > 0);
}

function flagOrNull() {
  return z.boolean('true or false, or null').nullable();
}

function paths() {
  return rule<readonly string[]>('a list of absolute paths', (value) => Array.isArray(value) && value.every(isPath));
}

function oneOf<const Values extends readonly string[]>(values: Values, expected = values.join(', ')) {
  return z.enum(values, expected);
}

function orNull<const Values extends readonly string[]>(values: Values) {
  return oneOf(values, `${values.join(', ')}, or null`).nullable();
}
