/**
 * How Codex is run: what the owner of the server says, on the command line or in a config file. A client has no say in
 * any of it.
 */

import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { type OptionsPlace, type OptionsShape, optionsParser } from '../../app-kit/index.ts';
import { SANDBOXES } from './sandbox-modes.ts';

const APPROVALS = ['never', 'on-request', 'on-failure', 'untrusted'] as const;
const EFFORTS = ['minimal', 'low', 'medium', 'high', 'xhigh'] as const;

export interface CodexOptions {
  /** The program: a path, or a name on `PATH`. @default 'codex' */
  readonly codexCommand?: string;
  /** What Codex may touch. `danger-full-access` lets it do anything this user can. @default 'workspace-write' */
  readonly sandboxMode?: (typeof SANDBOXES)[number];
  /** When Codex asks before it acts. Nobody is there to answer, so anything but `never` makes it refuse. @default 'never' */
  readonly approvalPolicy?: (typeof APPROVALS)[number];
  readonly model?: string | null;
  readonly modelReasoningEffort?: (typeof EFFORTS)[number] | null;
  readonly networkAccessEnabled?: boolean | null;
  readonly webSearchEnabled?: boolean | null;
  readonly experimentalWindowsSandboxEnabled?: boolean | null;
  /** @default true */
  readonly skipGitRepoCheck?: boolean;
  /** Directories beside the working directory that Codex may write to, in every run. Absolute paths. */
  readonly additionalDirectories?: readonly string[];
  /**
   * Directories in which calls may choose a working directory, which a run may write to. Absolute paths; the directory the
   * server was started in counts too, unless it is a home directory or something as broad. Without roots a client could
   * have Codex write anywhere.
   *
   * @default []
   */
  readonly roots?: readonly string[];
  /** The longest a run may take, without its time in the queue. @default 1_800_000 */
  readonly maxRunMs?: number;
  /** Ends a run that does nothing for so long, as one without a network does. @default 600_000 */
  readonly stallMs?: number;
  /** How many runs are under way at once, in different windows. @default 8 */
  readonly concurrency?: number;
  /** A longer answer goes to a file, and its beginning into the result. @default 1_048_576 */
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

/** Checks the options and fills in the defaults; throws `INVALID_ARGUMENT` that names the field and what is expected. */
export function parseCodexOptions(options: unknown, place?: OptionsPlace): CodexSettings {
  return parseFields(options, place);
}

const WORD = 'a text of at most 200 characters without spaces that does not begin with -';

// What begins with a dash would be taken for an option.
function isWord(value: unknown): boolean {
  return typeof value === 'string' && /^[^\s-]\S{0,199}$/.test(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

// A relative one would be looked for in the directory that a call chose.
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
