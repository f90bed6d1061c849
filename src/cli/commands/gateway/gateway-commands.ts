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
    help: 'A holdfast.json with several servers under mcpServers, each with its policy; see docs/gateway.md',
  },
  'bearer-env': {
    type: 'string',
    value: 'VARIABLE',
    help: 'With --url: the variable that holds a token for the server; other headers are HOLDFAST_HEADER_X_API_KEY and the like',
  },
  name: {
    type: 'string',
    value: 'NAME',
    help: 'Names the store of the gateway, for holdfast tasks --name (default: made from the server)',
  },
  ui: {
    type: 'boolean',
    help: 'Clients that show views of MCP Apps get one beside each call that may take long; see docs/apps.md',
  },
  ...COMMON,
} as const satisfies OptionTable;

export type GatewayContext = CommandContext<typeof gatewayOptions>;

export const gateway: Command<typeof gatewayOptions> = {
  name: 'gateway',
  summary: 'Serve another MCP server, whose slow calls come back; give its command after --',
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
    help: 'The holdfast.json that names the server (default: as for holdfast call --server)',
  },
  'key-file': SHARED['key-file'],
  forget: { type: 'boolean', help: 'Forget the sign-in instead' },
  ...COMMON,
} as const satisfies OptionTable;

export type AuthContext = CommandContext<typeof authOptions>;

const auth: Command<typeof authOptions> = {
  name: 'auth',
  summary: 'Sign in at a server behind the gateway, by its name or URL',
  positionals: ['SERVER'],
  options: authOptions,
  run: async (context) => (await import('./sign-in-at.ts')).signInAt(context),
};

export const gatewayCommands: readonly Command[] = [gateway, auth];
