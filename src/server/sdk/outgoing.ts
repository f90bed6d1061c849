import type { JSONRPCMessage, Server } from '@modelcontextprotocol/server';

/** Passes every outgoing message of a server through `rewrite`; the SDK has no other hook for that than the transport. */
export function rewriteOutgoing(server: Server, rewrite: (message: JSONRPCMessage) => JSONRPCMessage): void {
  const connect = server.connect.bind(server);
  server.connect = (transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(rewrite(message), options);
    return connect(transport);
  };
}
