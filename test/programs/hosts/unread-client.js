// @ts-check
/**
 * A client on stdio that sends one call and never reads the answer: node unread-client.js CALL COMMAND ARG…
 *
 * CALL is the params of `tools/call` as JSON. It waits to be killed.
 */
import { spawn } from 'node:child_process';

const [call = '{}', command = '', ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const handshake = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
const messages = [
  { id: 0, method: 'initialize', params: handshake },
  { method: 'notifications/initialized' },
  { id: 1, method: 'tools/call', params: JSON.parse(call) },
];
for (const message of messages) server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
setInterval(() => {}, 60_000);
