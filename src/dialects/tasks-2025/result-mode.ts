/**
 * When `tasks/result` waits, and for how long.
 *
 * The specification lets it block until the task has ended. Some hosts give up on a request long before that, so for
 * those the answer "not ready, come again" is the safe one. Explicit modes and `params.wait` choose by hand, and are
 * bound by the time the host is known to wait. A time that the owner has set binds everybody, in every mode.
 */

import { z } from 'zod';
import { onlyFields, value } from '../../options/option-schemas.ts';
import { type OptionsShape, optionsParser } from '../../options/options-parser.ts';
import { warn as warnOnStderr } from '../../stderr.ts';
import { type ClientFinder, createClientFinder } from '../shared/client-name.ts';

/** Whether `tasks/result` waits for the end of a task, or says that it is not ready. */
export type ResultMode = 'auto' | 'blocking' | 'immediate_retry';

/** How `tasks/result` treats clients. Each value not given is read from the environment. */
export interface ResultOptions {
  /** @default 'auto' */
  readonly mode?: ResultMode;
  /** Clients that are not made to wait in mode `auto`. @default those known to give up early */
  readonly retryClients?: readonly string[];
  /** When the host gives up on a request, in ms; once given, no wait is longer. @default 120_000, not in mode `auto` */
  readonly hostTimeoutMs?: number;
  /** How long before that an answer must be on its way, in ms; once given, no wait is longer. @default 10_000 */
  readonly marginMs?: number;
}

/** How `tasks/result` treats a task that has not ended, for each client. */
export interface ResultPolicy {
  readonly mode: ResultMode;
  readonly retryClients: readonly string[];
  /** Which of them a client is by the name it reports, if any. */
  readonly findRetryClient: ClientFinder;
  /** The longest wait that is safe for a host that gives up; `Infinity` for no limit. */
  readonly budgetMs: number;
  /** The owner has set it, so it binds those too who wait by their own nature. */
  readonly isBudgetSet: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const MODES: readonly string[] = ['auto', 'blocking', 'immediate_retry'] satisfies ResultMode[];
const RETRY_CLIENTS = ['claude desktop', 'claude code', 'cursor', 'windsurf', 'continue'];
const PREFIXES = ['HOLDFAST_', 'MUNINN_MCP_'];
const MIN_BUDGET_MS = 1000;

/** Options first, then `HOLDFAST_*`, then `MUNINN_MCP_*`. What cannot be used is warned of and left at its default. */
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

/** Whether a request for the result of a running task is held; `wait` is what the request itself says. */
export function shouldBlock(policy: ResultPolicy, clientName: string | undefined, wait: boolean | undefined): boolean {
  if (wait !== undefined) return wait;
  if (policy.mode !== 'auto') return policy.mode === 'blocking';
  return clientName === undefined || policy.findRetryClient(clientName) === undefined;
}

/**
 * How long a held request is held. In mode `auto` a client that blocks by its own nature waits for the end, as the
 * specification says, unless the owner has set how long.
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
    // One that is not known is warned of, as it is in the environment.
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

/** A longest wait of its own wins over what the host's time-out leaves; zero or less lifts the limit. */
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

/** In ms. */
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
