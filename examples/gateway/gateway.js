// @ts-check
/**
 * A server of the MCP SDK without tasks, behind a gateway that makes its slow calls durable. Run it with any MCP client on
 * stdio.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { createGateway } from 'holdfast/gateway';
import { z } from 'zod';

const server = new McpServer({ name: 'reports', version: '1.0.0' });

server.registerTool(
  'render_report',
  { description: 'Render a yearly report', inputSchema: z.object({ year: z.number().int() }) },
  async ({ year }) => {
    await new Promise((resolve) => setTimeout(resolve, 90_000));
    return { content: [{ type: 'text', text: `The report of ${year}` }] };
  },
);

await createGateway({ upstream: server, name: 'reports' }).serveStdio();
