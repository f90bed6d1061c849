/** How the calls of a tool are treated: what its owner says, else what the tool says of itself. */
import { isForAppsOnly } from '../app-only.ts';
import type { HostTool } from '../host/index.ts';

/** What the owner of a gateway may say of an upstream, or of one of its tools. */
export interface ToolPolicy {
  /** When a call becomes a task: when it takes longer than `inlineMs`, always, or never. @default 'auto' */
  readonly task?: 'auto' | 'always' | 'never';
  /** How long an `auto` call is waited for before the client gets a handle. @default 1000 */
  readonly inlineMs?: number;
  /**
   * How long an `auto` call of a tool that only reads is tried without a task first, so that it waits for no disk; one that is
   * not over by then begins anew as a task, and the tool is not tried so again. 0 for not at all.
   *
   * @default 100
   */
  readonly quickMs?: number;
  /**
   * Whether a call whose outcome was lost may be made again. Only say so when a second call does no harm: without it such
   * a call ends as interrupted.
   *
   * @default true for tools that say `idempotentHint` or `readOnlyHint`
   */
  readonly idempotent?: boolean;
  /** Attempts in all, for calls that may be made again. @default 3 */
  readonly retry?: number;
  /** The longest a call may run, in ms. @default 86_400_000 */
  readonly maxRunMs?: number;
  /** How many calls of the tool run at once. @default no limit of its own */
  readonly concurrency?: number;
  /** Calls with the same queue run one after the other; those of other tools with that queue too. @default none */
  readonly queue?: string;
  /**
   * What a cancel does to a server on stdio that was told and says nothing: `end` ends its process when it serves no other
   * call, because most servers ignore a cancel; `tell` leaves it alone, for one that keeps much in its process.
   *
   * @default 'end'
   */
  readonly cancel?: 'end' | 'tell';
}

/** A policy in which everything has been decided. */
export interface DecidedPolicy extends ToolPolicy {
  readonly task: 'auto' | 'always' | 'never';
  readonly idempotent: boolean;
}

/** Puts together what is said of one tool: the nearest word counts. */
export function decidePolicy(tool: HostTool, ...said: readonly (ToolPolicy | undefined)[]): DecidedPolicy {
  const given: ToolPolicy = Object.assign({}, ...said);
  const { readOnlyHint, idempotentHint } = tool.annotations ?? {};
  const { idempotent = readOnlyHint === true || idempotentHint === true, task = 'auto' } = given;
  // A view waits for its answer on a line of its own, and knows no tasks.
  return { ...given, idempotent, task: isForAppsOnly(tool) ? 'never' : task };
}
