/** A host of MCP Apps: a real client of a real server, whose views are shown by a page in a real browser. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import type { FrameLocator, Page } from 'playwright-core';
import { build } from 'rolldown';
import { onTestFinished } from 'vitest';
import type { Site } from '../../e2e/site.ts';
import type { OpenBrowser } from '../../sandbox/open-page.ts';

const VIEW_URI = 'ui://holdfast/task';
const EXTENSIONS = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };

// What the specification has hosts forbid a view that asks for nothing: it may run what is in it, and reach nobody.
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'";

export interface AppHost {
  readonly page: Page;
  readonly view: FrameLocator;
  /** What views have asked of the server, by the names of tools. */
  readonly asked: string[];
  readonly client: Client;
  /** Shows the view of a call of a tool, as a host does when its model makes the call. */
  show(tool: string, options?: { capabilities?: object; context?: object }): Promise<void>;
  /** Tells the view something. */
  tell(what: 'sendToolInput' | 'sendToolResult' | 'teardownResource', params: object): Promise<void>;
  /** What the view has said to the model or asked the host to open. */
  said(): Promise<[string, unknown][]>;
}

/** A client that shows views. */
export async function connectViews(site: Site, medium: 'stdio' | 'http', mode: 'legacy' | 'auto'): Promise<Client> {
  const info = { name: 'view-host', version: '1.0.0' };
  const client = new Client(info, { versionNegotiation: { mode }, capabilities: { extensions: EXTENSIONS } });
  const transport =
    medium === 'stdio'
      ? new StdioClientTransport(site.command)
      : new StreamableHTTPClientTransport(new URL((await site.serve()).url));
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

export async function openAppHost(browser: OpenBrowser, client: Client): Promise<AppHost> {
  const { contents } = await client.readResource({ uri: VIEW_URI });
  const html = (contents[0] as { text: string }).text;
  const url = await servePages(html);
  const page = await browser.context.newPage();
  onTestFinished(() => page.close());
  page.on('pageerror', (error) => void browser.complaints.push(`error ${error.message}`));
  const asked: string[] = [];
  await page.exposeFunction('callTool', async (params: { name: string; arguments?: Record<string, unknown> }) => {
    asked.push(params.name);
    return (await client.callTool(params)) as CallToolResult;
  });
  await page.goto(url);
  const { tools } = await client.listTools();
  return {
    page,
    view: page.frameLocator('iframe'),
    asked,
    client,
    async show(name, { capabilities, context = {} } = {}) {
      const tool = tools.find((one) => one.name === name);
      const given = { context: { toolInfo: { tool }, theme: 'light', locale: 'en', ...context }, capabilities };
      await page.evaluate(`openView(${JSON.stringify(given)})`);
    },
    async tell(what, params) {
      await page.evaluate(`view.bridge.${what}(${JSON.stringify(params)})`);
    },
    said: () => page.evaluate('view.said'),
  };
}

async function servePages(view: string): Promise<string> {
  const input = fileURLToPath(new URL('host-page.js', import.meta.url));
  const { output } = await build({ input, platform: 'browser', write: false, output: { format: 'iife' } });
  const script = output[0].code;
  const pages: Record<string, readonly [type: string, body: string]> = {
    '/': ['text/html', '<!doctype html><title>host</title><body><script src="/host.js"></script>'],
    '/host.js': ['text/javascript', script],
    '/view': ['text/html', view],
  };
  const server = createServer(({ url = '' }, response) => {
    const [type, body] = pages[url] ?? ['text/plain', ''];
    const policy = url === '/view' ? { 'content-security-policy': POLICY } : {};
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, ...policy }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
