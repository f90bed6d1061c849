/** The gateway: any MCP server with calls that come back. */
export { createGateway, type Gateway } from './gateway.ts';
export type { GatewayOptions, InProcessServer, Upstream } from './gateway-options.ts';
export type { ToolPolicy } from './policy.ts';
export type { UpstreamState } from './tool-shelf.ts';
