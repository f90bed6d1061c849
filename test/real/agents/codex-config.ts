import { type AgentServers, type Entry, MARK } from './agent-servers.ts';

/** A `config.toml` for a model on loopback. Without plugins, which Codex would look for in its maker's shop. */
export function toCodexConfig(url: string, { servers, giveUpMs }: AgentServers = NONE): string {
  const model = `
model = "stand-in"
model_provider = "loopback"
check_for_update_on_startup = false
[analytics]
enabled = false
[features]
plugins = false
[model_providers.loopback]
name = "loopback"
base_url = "${url}/v1"
wire_api = "responses"
requires_openai_auth = false
supports_websockets = false
request_max_retries = 1
stream_max_retries = 1
`;
  return (
    model +
    Object.entries(servers)
      .map(([name, entry]) => toTable(name, entry, giveUpMs / 1000))
      .join('')
  );
}

const NONE: AgentServers = { servers: {}, giveUpMs: 0 };

/** Required, or Codex asks its model before the tools are there. */
function toTable(name: string, { command, args, env = {} }: Entry, timeoutSec: number): string {
  const variables = Object.entries({ ...MARK, ...env }).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  return `
[mcp_servers.${name}]
command = ${JSON.stringify(command)}
args = ${JSON.stringify(args)}
default_tools_approval_mode = "approve"
required = true
startup_timeout_sec = 60
tool_timeout_sec = ${timeoutSec}
[mcp_servers.${name}.env]
${variables.join('')}`;
}
