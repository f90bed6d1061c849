/**
 * When `tasks/result` blocks, and for how long.
 *
 * The specification lets it block until the task has ended. Some hosts time out a request long before that, so the
 * answer "not ready, retry later" is the safe one for them. Explicit modes and `params.wait` choose by hand, and are
 * limited by the time the host is known to wait. A limit that the owner has set applies to every client, in every mode.
 */

import { z } from 'zod';
import { onlyFields, value } from '../../options/option-schemas.ts';
import { type OptionsShape, optionsParser } from '../../options/options-parser.ts';
import { warn as warnOnStderr } from '../../stderr.ts';
import { type ClientFinder, createClientFinder } from '../shared/client-name.ts';

/** Whether `tasks/result` blocks until the end of a task, or answers that it is not ready. */
export type ResultMode = 'auto' | 'blocking' | 'immediate_retry';

/** How `tasks/result` treats clients. Values that are not given are read from the environment. */
export interface ResultOptions {
  /** @default 'auto' */
  readonly mode?: ResultMode;
  /** Clients that `tasks/result` does not block in mode `auto`. @default the clients known to time out early */
  readonly retryClients?: readonly string[];
  /** When the host times out a request, in ms; once given, no wait is longer. @default 120_000, not in mode `auto` */
  readonly hostTimeoutMs?: number;
  /** How long before that timeout an answer must be sent, in ms; once given, no wait is longer. @default 10_000 */
  readonly marginMs?: number;
}

/** How `tasks/result` treats a task that has not ended, for each client. */
export interface ResultPolicy {
  readonly mode: ResultMode;
  readonly retryClients: readonly string[];
  /** Returns which of them a client is, by the name it reports, if any. */
  readonly findRetryClient: ClientFinder;
  /** The longest wait that is safe for a host that times out, in ms; `Infinity` for no limit. */
  readonly budgetMs: number;
  /** Whether the owner has set the budget: it then also limits requests that block without an explicit mode or `wait`. */
  readonly isBudgetSet: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const MODES: readonly string[] = ['auto', 'blocking', 'immediate_retry'] satisfies ResultMode[];
const RETRY_CLIENTS = ['claude desktop', 'claude code', 'cursor', 'windsurf', 'continue'];
const PREFIXES = ['HOLDFAST_', 'MUNINN_MCP_'];
const MIN_BUDGET_MS = 1000;

/** Options first, then `HOLDFAST_*`, then `MUNINN_MCP_*`. An unusable value is warned about, and its default used. */
export function parseResultPolicy(
  options: ResultOptions = {},
  env: Environment = process.env,
  warn: (text: string) => void = warnOnStderr,
): ResultPolicy {
  const source = { options: parseFields(options, { field: 'taskResult' }), env, warn };
  const mode = parseMode(source);
  const retryClients = parseRetryClients(source);
  return { mode, retryClients, findRetryClient: createClientFinder(retryClients), ...parseBudget(source) };
}

/** Whether a request for the result of a running task is held; `wait` is the request's own parameter. */
export function shouldBlock(policy: ResultPolicy, clientName: string | undefined, wait: boolean | undefined): boolean {
  if (wait !== undefined) return wait;
  if (policy.mode !== 'auto') return policy.mode === 'blocking';
  return clientName === undefined || policy.findRetryClient(clientName) === undefined;
}

/**
 * How long a held request is held, in ms. In mode `auto` a request without `wait` waits for the end, as the
 * specification says, unless the owner has set a limit.
 */
export function toBudgetMs({ mode, budgetMs, isBudgetSet }: ResultPolicy, wait: boolean | undefined): number {
  const isByNature = mode === 'auto' && wait === undefined;
  return isByNature && !isBudgetSet ? Number.POSITIVE_INFINITY : budgetMs;
}

const parseFields = optionsParser(() => {
  const areNames = (names: unknown) => Array.isArray(names) && names.every((name) => typeof name === 'string');
  const isTime = (ms: unknown) => Number.isFinite(ms) && (ms as number) >= 0;
  const time = () => value<number>('a number of milliseconds from 0 up', isTime).optional();
  return onlyFields({
    // An unknown mode is warned about, as in the environment.
    mode: z.custom<ResultMode>().optional(),
    retryClients: value<readonly string[]>('a list of client names', areNames).optional(),
    hostTimeoutMs: time(),
    marginMs: time(),
  } satisfies OptionsShape<ResultOptions>);
});

interface Source {
  readonly options: ReturnType<typeof parseFields>;
  readonly env: Environment;
  warn(text: string): void;
}

function parseMode(source: Source): ResultMode {
  const { options } = source;
  const found =
    options.mode === undefined ? findVariable(source, 'TASK_RESULT_MODE') : { name: 'mode', value: options.mode };
  if (found === undefined) return 'auto';
  const mode = typeof found.value === 'string' ? found.value.trim().toLowerCase() : '';
  if (MODES.includes(mode)) return mode as ResultMode;
  source.warn(`${found.name} is ${JSON.stringify(found.value)}; expected ${MODES.join(', ')}; using auto`);
  return 'auto';
}

function parseRetryClients(source: Source): readonly string[] {
  const { retryClients } = source.options;
  if (retryClients !== undefined) return retryClients;
  const names = findVariable(source, 'TASK_RESULT_AUTO_RETRY_CLIENTS')?.value.split(',') ?? [];
  const listed = names.map((name) => name.trim()).filter((name) => name !== '');
  return listed.length > 0 ? listed : RETRY_CLIENTS;
}

/** An explicit longest wait overrides what the host's timeout leaves; zero or less removes the limit. */
function parseBudget(source: Source): Pick<ResultPolicy, 'budgetMs' | 'isBudgetSet'> {
  const { hostTimeoutMs, marginMs } = source.options;
  if (hostTimeoutMs === undefined && marginMs === undefined) {
    const longest = parseSeconds(source, 'TASK_RESULT_MAX_WAIT_SEC');
    if (longest !== undefined) return { budgetMs: longest > 0 ? longest : Number.POSITIVE_INFINITY, isBudgetSet: true };
  }
  const timeout = hostTimeoutMs ?? parseSeconds(source, 'HOST_TOOLS_CALL_TIMEOUT_SEC');
  const margin = marginMs ?? parseSeconds(source, 'TOOL_CALL_DEADLINE_MARGIN_SEC');
  const budgetMs = Math.max(MIN_BUDGET_MS, (timeout ?? 120_000) - (margin ?? 10_000));
  return { budgetMs, isBudgetSet: timeout !== undefined || margin !== undefined };
}

/** Reads a variable in seconds; returns ms. */
function parseSeconds(source: Source, name: string): number | undefined {
  const found = findVariable(source, name);
  if (found === undefined) return undefined;
  const seconds = Number(found.value);
  if (Number.isFinite(seconds)) return seconds * 1000;
  source.warn(`${found.name} is ${JSON.stringify(found.value)}; expected a number of seconds; using the default`);
  return undefined;
}

function findVariable({ env }: Source, suffix: string): { readonly name: string; readonly value: string } | undefined {
  for (const prefix of PREFIXES) {
    const value = env[prefix + suffix]?.trim();
    if (value) return { name: prefix + suffix, value };
  }
  return undefined;
}
