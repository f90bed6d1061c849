import type { HostTool, ServerSpec } from '../../host/index.ts';
import { type DecidedPolicy, decidePolicy, type ToolPolicy } from '../policy.ts';

/** One server behind a gateway: how it is reached, and how its tools are treated. */
export interface UpstreamOptions {
  /** How it is reached, as for `host.connect`. */
  readonly spec: ServerSpec;
  /** How calls of all its tools are treated. */
  readonly policy?: ToolPolicy;
  /** How calls of single tools are, by their names upstream. */
  readonly tools?: Readonly<Record<string, ToolPolicy>>;
  /** How many connections its calls may be spread over. */
  readonly connections?: number;
}

/** As many of its calls can be told apart when it asks. */
export const DEFAULT_CONNECTIONS = 4;

/** How a tool of an upstream is treated. */
export function policyOf({ policy, tools = {} }: UpstreamOptions, tool: HostTool): DecidedPolicy {
  return decidePolicy(tool, policy, Object.hasOwn(tools, tool.name) ? tools[tool.name] : undefined);
}
