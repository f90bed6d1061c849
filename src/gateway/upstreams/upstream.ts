import type { HostTool, ServerSpec } from '../../host/index.ts';
import { type DecidedPolicy, decidePolicy, type ToolPolicy } from '../policy.ts';

/** One server behind a gateway: how to reach it, and the policies for its tools. */
export interface UpstreamOptions {
  /** How to reach it, as for `host.connect`. */
  readonly spec: ServerSpec;
  /** The policy for calls of all its tools. */
  readonly policy?: ToolPolicy;
  /** Policies for calls of single tools, by their upstream names. */
  readonly tools?: Readonly<Record<string, ToolPolicy>>;
  /** Maximum number of connections for its calls. */
  readonly connections?: number;
}

/** How many simultaneous calls can be told apart when the upstream asks a question. */
export const DEFAULT_CONNECTIONS = 4;

/** Returns the policy for one tool of an upstream. */
export function policyOf({ policy, tools = {} }: UpstreamOptions, tool: HostTool): DecidedPolicy {
  return decidePolicy(tool, policy, Object.hasOwn(tools, tool.name) ? tools[tool.name] : undefined);
}
