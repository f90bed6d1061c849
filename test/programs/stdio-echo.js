// @ts-check
// Answers every request on the real stdin and stdout with its method, and talks on stdout meanwhile.
import { StdioTransport } from '../../dist/server/stdio/stdio-transport.js';

const transport = new StdioTransport();
transport.onmessage = (message) => {
  console.log('got', message);
  if ('method' in message && 'id' in message) void answer(message.id, message.method);
};
transport.onerror = (error) => console.error('onerror:', error.message);
transport.onclose = () => console.error('closed');
await transport.start();

/**
 * @param {string | number} id
 * @param {string} method
 */
async function answer(id, method) {
  process.stdout.write('{"half a frame":');
  // A refused frame ends the connection, which is all there is to know here.
  await transport.send({ jsonrpc: '2.0', id, result: { method } }).catch(() => {});
  process.stdout.write('}\n');
}
