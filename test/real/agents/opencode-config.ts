import { type AgentServers, MARK } from './agent-servers.ts';

/** An `opencode.json` for a model on loopback. */
export function toOpencodeConfig(url: string, { servers, giveUpMs }: AgentServers): object {
  const provider = {
    npm: '@ai-sdk/openai-compatible',
    name: 'loopback',
    options: { baseURL: `${url}/v1`, apiKey: 'none' },
    models: { 'stand-in': { name: 'stand-in', tool_call: true } },
  };
  const entries = Object.entries(servers).map(([name, { command, args, env = {} }]) => {
    const how = { type: 'local', command: [command, ...args], enabled: true, timeout: giveUpMs };
    return [name, { ...how, environment: { ...MARK, ...env } }];
  });
  return {
    autoupdate: false,
    share: 'disabled',
    enabled_providers: ['loopback'],
    provider: { loopback: provider },
    mcp: Object.fromEntries(entries),
  };
}

/** Nothing that it would fetch, look for, or tell somebody. */
export const OPENCODE_ENV = {
  OPENCODE_DISABLE_AUTOUPDATE: 'true',
  OPENCODE_DISABLE_MODELS_FETCH: 'true',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: 'true',
  OPENCODE_DISABLE_LSP_DOWNLOAD: 'true',
};
