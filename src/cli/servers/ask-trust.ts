import { isTaskError, TaskError } from '../../errors.ts';
import type { JsonObject } from '../../host/index.ts';
import { toPlainText } from '../../text/plain-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type Approval, trust } from './trust-store.ts';

export interface TrustContext {
  readonly terminal: Terminal;
  /** Whether the user has given `--trust` on the command line. */
  readonly isTrusted: boolean;
}

export interface TrustQuestion extends Approval {
  /** Why the user is asked, shown to them: for example, that the server has changed since the call. */
  readonly why: string;
  /** What would be run. */
  readonly spec: JsonObject;
  /** Environment variables passed to it, in addition to those its spec names. */
  readonly passEnv: readonly string[];
  /** Further facts that decide what is run, for a spec that only names a directory. */
  readonly more?: readonly string[];
}

// Nobody can agree to what they cannot read at a glance.
const MAX_SHOWN = 8000;

/** Whether the user trusts it; a yes is stored. Throws `UNTRUSTED_CONFIG` if nobody can be asked. */
export async function askTrust(question: TrustQuestion, { terminal, isTrusted }: TrustContext): Promise<boolean> {
  if (!isTrusted && !(await ask(question, terminal))) return false;
  keepTrust(question, { terminal });
  return true;
}

/** Stores a yes for the next time; if it cannot be stored, the user will be asked again. */
export function keepTrust(approval: Approval, { terminal }: Pick<TrustContext, 'terminal'>): void {
  try {
    trust(approval);
  } catch (error) {
    if (isTaskError(error)) throw error;
    terminal.remark(`holdfast: what is trusted cannot be kept: ${(error as Error).message}`);
  }
}

/** Like `askTrust`, but throws `UNTRUSTED_CONFIG` on a no. */
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
