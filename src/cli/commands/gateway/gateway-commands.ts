/** Commands that serve a gateway to any MCP server. */
import type { Command, CommandContext } from '../../command-line/command.ts';
import type { OptionTable } from '../../command-line/option.ts';
import { COMMON, LISTENING, SHARED } from '../../command-line/shared-options.ts';

const gatewayOptions = {
  ...LISTENING,
  url: SHARED.url,
  config: {
    type: 'string',
    value: 'FILE',
    help: 'Use a holdfast.json with several servers under mcpServers, each with its policy; see docs/gateway.md',
  },
  'bearer-env': {
    type: 'string',
    value: 'VARIABLE',
    help: 'With --url: variable with a bearer token for the server; set other headers as HOLDFAST_HEADER_X_API_KEY etc.',
  },
  name: {
    type: 'string',
    value: 'NAME',
    help: 'Store name of the gateway, for holdfast tasks --name (default: derived from the server)',
  },
  ui: {
    type: 'boolean',
    help: 'Show a view beside each call that may be slow, in clients that support MCP Apps; see docs/apps.md',
  },
  ...COMMON,
} as const satisfies OptionTable;

export type GatewayContext = CommandContext<typeof gatewayOptions>;

export const gateway: Command<typeof gatewayOptions> = {
  name: 'gateway',
  summary: 'Serve another MCP server with durable calls; pass its command after --',
  positionals: [],
  options: gatewayOptions,
  takesCommandLine: true,
  async run(context) {
    // Started first, because the upstream server takes longest to start.
    await (await import('./start-upstream.ts')).startUpstream(context);
    return (await import('./serve-gateway.ts')).serveGateway(context);
  },
};

const authOptions = {
  config: {
    type: 'string',
    value: 'FILE',
    help: 'holdfast.json that names the server (default: as for holdfast call --server)',
  },
  'key-file': SHARED['key-file'],
  forget: { type: 'boolean', help: 'Delete the stored sign-in instead' },
  ...COMMON,
} as const satisfies OptionTable;

export type AuthContext = CommandContext<typeof authOptions>;

const auth: Command<typeof authOptions> = {
  name: 'auth',
  summary: 'Sign in to a server behind the gateway, by its name or URL',
  positionals: ['SERVER'],
  options: authOptions,
  run: async (context) => (await import('./sign-in-at.ts')).signInAt(context),
};

export const gatewayCommands: readonly Command[] = [gateway, auth];
