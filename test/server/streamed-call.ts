import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { until } from 'holdfast/testing';
import { onTestFinished } from 'vitest';

/**
 * Calls a tool with SDK 1.x; returns once the stream of the call has begun, with what its answer will be.
 *
 * This SDK finds a stream again that has begun. A request whose response was never begun is lost to it.
 */
export async function beginStreamedCall(url: string, name: string, args: Readonly<Record<string, unknown>>) {
  const client = new Client({ name: 'patient', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as never);
  onTestFinished(() => client.close());
  let hasBegun = false;
  const onresumptiontoken = () => {
    hasBegun = true;
  };
  const answer = client.callTool({ name, arguments: args }, undefined, { timeout: 120_000, onresumptiontoken });
  // Looked at later.
  answer.catch(() => {});
  await until(() => hasBegun, { what: `the stream of ${name}` });
  return { answer };
}
