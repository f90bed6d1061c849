/**
 * How Codex is run: what the owner of the server says, on the command line or in a config file. A client has no say in
 * any of it.
 */

import { isAbsolute } from 'node:path';
import { TaskError } from '../../index.ts';
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

const DEFAULTS: CodexSettings = {
  codexCommand: 'codex',
  sandboxMode: 'workspace-write',
  approvalPolicy: 'never',
  model: null,
  modelReasoningEffort: null,
  networkAccessEnabled: null,
  webSearchEnabled: null,
  experimentalWindowsSandboxEnabled: null,
  skipGitRepoCheck: true,
  additionalDirectories: [],
  roots: [],
  maxRunMs: 1_800_000,
  stallMs: 600_000,
  concurrency: 8,
  maxTextBytes: 1_048_576,
};

type Check = (value: unknown) => boolean;

interface Rule {
  readonly isValid: Check;
  readonly expected: string;
}

const text: Rule = {
  isValid: (value) => typeof value === 'string' && value.trim() !== '',
  expected: 'a non-empty text',
};
// What begins with a dash would be taken for an option.
const word: Rule = {
  isValid: (value) => typeof value === 'string' && /^[^\s-]\S{0,199}$/.test(value),
  expected: 'a text of at most 200 characters without spaces that does not begin with -',
};
const paths: Rule = {
  isValid: (value) => Array.isArray(value) && value.every(isPath),
  expected: 'a list of absolute paths',
};
const flag: Rule = { isValid: (value) => typeof value === 'boolean', expected: 'true or false' };
const whole: Rule = {
  isValid: (value) => Number.isSafeInteger(value) && (value as number) > 0,
  expected: 'a whole number above 0',
};

const RULES: Readonly<Record<keyof CodexSettings, Rule>> = {
  codexCommand: text,
  sandboxMode: oneOf(SANDBOXES),
  approvalPolicy: oneOf(APPROVALS),
  model: orNull(word),
  modelReasoningEffort: orNull(oneOf(EFFORTS)),
  networkAccessEnabled: orNull(flag),
  webSearchEnabled: orNull(flag),
  experimentalWindowsSandboxEnabled: orNull(flag),
  skipGitRepoCheck: flag,
  additionalDirectories: paths,
  roots: paths,
  maxRunMs: whole,
  stallMs: whole,
  concurrency: whole,
  maxTextBytes: whole,
};

/** Checks the options and fills in the defaults; throws `INVALID_ARGUMENT` that names the field and what is expected. */
export function parseCodexOptions(options: object): CodexSettings {
  const settings: Record<string, unknown> = { ...DEFAULTS };
  for (const [field, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(RULES, field)) {
      throw new TaskError('INVALID_ARGUMENT', `${field} is not known; expected ${Object.keys(RULES).join(', ')}`);
    }
    const { isValid, expected } = RULES[field as keyof CodexSettings];
    if (!isValid(value)) {
      throw new TaskError('INVALID_ARGUMENT', `${field} is ${JSON.stringify(value)}; expected ${expected}`);
    }
    settings[field] = value;
  }
  return settings as unknown as CodexSettings;
}

// A relative one would be looked for in the directory that a call chose.
function isPath(value: unknown): boolean {
  return typeof value === 'string' && isAbsolute(value) && !value.includes('\0');
}

function oneOf(values: readonly string[]): Rule {
  return { isValid: (value) => values.includes(value as string), expected: values.join(', ') };
}

function orNull({ isValid, expected }: Rule): Rule {
  return { isValid: (value) => value === null || isValid(value), expected: `${expected}, or null` };
}
