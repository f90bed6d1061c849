/** Decides how calls of a tool are treated: the owner's policy first, then the tool's own annotations. */
import { isForAppsOnly } from '../app-only.ts';
import type { HostTool } from '../host/index.ts';

/** The policy that the owner of a gateway can set for an upstream, or for one of its tools. */
export interface ToolPolicy {
  /** When a call becomes a task: when it takes longer than `inlineMs`, always, or never. @default 'auto' */
  readonly task?: 'auto' | 'always' | 'never';
  /** How long an `auto` call may run before the client gets a handle, in ms. @default 1000 */
  readonly inlineMs?: number;
  /**
   * How long, in ms, an `auto` call of a read-only tool is tried without a task first, which saves a disk write. A call that
   * takes longer is restarted as a task, and the tool is not tried without a task again. 0 to never try.
   *
   * @default 100
   */
  readonly quickMs?: number;
  /**
   * Whether a call whose outcome was lost may be repeated. Set this only if a second call does no harm: without it, a call whose
   * outcome was lost ends as interrupted.
   *
   * @default true for tools that declare `idempotentHint` or `readOnlyHint`
   */
  readonly idempotent?: boolean;
  /** Maximum number of attempts, for calls that may be repeated. @default 3 */
  readonly retry?: number;
  /** The longest a call may run, in ms. @default 86_400_000 */
  readonly maxRunMs?: number;
  /** How many calls of the tool may run at once. @default no limit of its own */
  readonly concurrency?: number;
  /** Calls with the same queue run one after the other, also across tools. @default none */
  readonly queue?: string;
  /**
   * What happens to a server on stdio that does not confirm a cancel: `end` ends its process if it runs no other call, because
   * most servers ignore a cancel; `tell` leaves it running, for a server that keeps important state in memory.
   *
   * @default 'end'
   */
  readonly cancel?: 'end' | 'tell';
}

/** A policy with `task` and `idempotent` decided. */
export interface DecidedPolicy extends ToolPolicy {
  readonly task: 'auto' | 'always' | 'never';
  readonly idempotent: boolean;
}

/** Merges the policies for one tool; later ones override earlier ones. */
export function decidePolicy(tool: HostTool, ...said: readonly (ToolPolicy | undefined)[]): DecidedPolicy {
  const given: ToolPolicy = Object.assign({}, ...said);
  const { readOnlyHint, idempotentHint } = tool.annotations ?? {};
  const { idempotent = readOnlyHint === true || idempotentHint === true, task = 'auto' } = given;
  // A view waits for the response of its own request, and does not know tasks.
  return { ...given, idempotent, task: isForAppsOnly(tool) ? 'never' : task };
}
