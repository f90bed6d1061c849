import { isTaskError, TaskError } from '../../errors.ts';
import type { JsonObject } from '../../host/index.ts';
import { toPlainText } from '../../text/plain-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { trust, type Word } from './trust-book.ts';

export interface TrustContext {
  readonly terminal: Terminal;
  /** The user has said yes on the command line. */
  readonly isTrusted: boolean;
}

export interface TrustQuestion extends Word {
  /** What is new about it. */
  readonly why: string;
  /** What would be run. */
  readonly spec: JsonObject;
  /** What it gets of the environment, beside what its spec names. */
  readonly passEnv: readonly string[];
  /** What else decides what is run, where the spec only names a place. */
  readonly more?: readonly string[];
}

// What cannot be read at a glance cannot be agreed to.
const MAX_SHOWN = 8000;

/** Whether the user wants it; kept when they do. Throws `UNTRUSTED_CONFIG` when nobody can be asked. */
export async function askTrust(question: TrustQuestion, { terminal, isTrusted }: TrustContext): Promise<boolean> {
  if (!isTrusted && !(await ask(question, terminal))) return false;
  keepTrust(question, { terminal });
  return true;
}

/** Keeps a yes for the next time; where that cannot be done the user is asked again then. */
export function keepTrust(word: Word, { terminal }: Pick<TrustContext, 'terminal'>): void {
  try {
    trust(word);
  } catch (error) {
    if (isTaskError(error)) throw error;
    terminal.remark(`holdfast: what is trusted cannot be kept: ${(error as Error).message}`);
  }
}

/** The same for what cannot be done without a yes. */
export async function requireTrust(question: TrustQuestion, context: TrustContext): Promise<void> {
  if (!(await askTrust(question, context))) throw untrustedError(question, 'you said no');
}

async function ask(question: TrustQuestion, terminal: Terminal): Promise<boolean> {
  const lines = toLines(question);
  const length = lines.join('').length;
  if (length > MAX_SHOWN) throw untrustedError(question, `it is too long to be shown (${length} characters)`);
  if (terminal.json || !terminal.keyboard.canAsk) throw untrustedError(question, 'nobody can be asked');
  terminal.remark(`\n${toPlainText(question.why)}. It would run:`);
  for (const line of lines) terminal.remark(`  ${toPlainText(line)}`);
  const answer = await terminal.keyboard.ask('Trust it from now on? (y/N) ');
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}

function untrustedError(question: TrustQuestion, reason: string): TaskError {
  const [first = ''] = toLines(question);
  const remedy = 'look at it, then answer y on a terminal or give --trust';
  const message = `${question.why}, and ${reason}; it would run: ${first.slice(0, MAX_SHOWN)}; ${remedy}`;
  return new TaskError('UNTRUSTED_CONFIG', message);
}

/** The command line first, then everything else that decides what it does. */
function toLines({ spec, passEnv, more: others = [] }: TrustQuestion): string[] {
  const { command, args, url, ...rest } = spec;
  const words = [command, ...(Array.isArray(args) ? args : []), url].filter((word) => word !== undefined);
  const line = words.map((word) => (/^[\w@%+=:,./-]+$/.test(String(word)) ? String(word) : JSON.stringify(word)));
  const more = Object.entries(rest).map(([field, value]) => `${field}: ${JSON.stringify(value)}`);
  const passed = passEnv.length > 0 ? [`--pass-env ${passEnv.join(',')}`] : [];
  return [...(line.length > 0 ? [line.join(' ')] : []), ...others, ...more, ...passed];
}
