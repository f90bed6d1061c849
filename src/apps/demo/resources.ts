import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { PIXEL_PNG } from './sample-media.ts';

/** Registers resources, a template and subscriptions directly on the SDK server. */
export function addResources(mcp: McpServer): void {
  addText(mcp, 'test://static-text', 'This is the content of the static text resource.');
  addText(mcp, 'test://watched-resource', 'This is the content of the watched resource.');
  mcp.registerResource(
    'static-binary',
    'test://static-binary',
    { description: 'An image', mimeType: 'image/png' },
    ({ href: uri }) => ({ contents: [{ uri, mimeType: 'image/png', blob: PIXEL_PNG }] }),
  );
  mcp.registerResource(
    'template-data',
    new ResourceTemplate('test://template/{id}/data', {
      list: undefined,
      complete: { id: (typed) => ['1', '12', '123'].filter((id) => id.startsWith(typed)) },
    }),
    { description: 'Data by id', mimeType: 'application/json' },
    ({ href: uri }, { id }) => {
      const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` });
      return { contents: [{ uri, mimeType: 'application/json', text }] };
    },
  );
  allowSubscriptions(mcp);
}

function addText(mcp: McpServer, uri: string, text: string): void {
  const name = uri.slice('test://'.length);
  const mimeType = 'text/plain';
  mcp.registerResource(name, uri, { description: 'A text', mimeType }, () => ({ contents: [{ uri, mimeType, text }] }));
}

/** Nothing here ever changes, so subscribers need not be stored. */
function allowSubscriptions({ server }: McpServer): void {
  server.registerCapabilities({ resources: { subscribe: true, listChanged: false }, prompts: { listChanged: false } });
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
}
