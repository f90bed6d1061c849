/** An MCP server in an agent's configuration. */
export interface Entry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface AgentServers {
  /** By the names the agent knows them by. */
  readonly servers: Readonly<Record<string, Entry>>;
  /** When the agent gives up on a call. */
  readonly giveUpMs: number;
}

/** By this, what is left after the tests is found; agents do not pass on their whole environment. */
export const MARK = { HOLDFAST_TEST_FILE: process.env.HOLDFAST_TEST_FILE ?? '' };
