/** The gateway: adds durable calls to any MCP server. */
export { createGateway, type Gateway } from './gateway.ts';
export type { GatewayOptions, InProcessServer, Upstream } from './gateway-options.ts';
export type { ToolPolicy } from './policy.ts';
export type { UpstreamState } from './tool-registry.ts';
