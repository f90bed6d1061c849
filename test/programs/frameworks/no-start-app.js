// @ts-check
/** An app that serves MCP through a framework, and knows nothing of workers: `fetch` or `node` is its argument. */
import { once } from 'node:events';
import { createServer as createNetServer } from 'node:net';
import { serve } from '@hono/node-server';
import express from 'express';
import { createServer } from 'holdfast';
import { addReportTool } from './report-tool.js';

const server = createServer({ name: 'no-start', version: '1.0.0', unprotected: true });
addReportTool(server);
server.tool('listen', {
  async run() {
    const own = createNetServer().listen(0, '127.0.0.1');
    await once(own, 'listening');
    own.close();
    return 'listened';
  },
});

const port = Number(process.env.PORT);
const tell = () => console.log(`http://127.0.0.1:${port}/mcp`);
if (process.argv[2] === 'fetch') serve({ fetch: server.fetch, hostname: '127.0.0.1', port }, tell);
else express().use('/mcp', server.node).listen(port, '127.0.0.1', tell);
