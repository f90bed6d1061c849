/**
 * Replaces links in results by text: clients of revisions before 2025-06-18 do not know them, and some refuse the whole
 * result.
 */
import type { JSONRPCMessage, Server } from '@modelcontextprotocol/server';
import { isObject } from '../../is-object.ts';
import { rewriteOutgoing } from './outgoing.ts';

const WITHOUT_LINKS: readonly (string | undefined)[] = ['2024-11-05', '2025-03-26'];

export function replaceLinksWithText(server: Server): void {
  rewriteOutgoing(server, (message) =>
    WITHOUT_LINKS.includes(server.getNegotiatedProtocolVersion()) ? replaceLinks(message) : message,
  );
}

function replaceLinks(message: JSONRPCMessage): JSONRPCMessage {
  const content = 'result' in message ? message.result.content : undefined;
  if (!Array.isArray(content) || !content.some(isLink)) return message;
  return {
    ...message,
    result: { ...(message as { result: object }).result, content: content.map(toTextBlock) },
  } as never;
}

function isLink(block: unknown): boolean {
  return isObject(block) && block.type === 'resource_link';
}

function toTextBlock(block: Record<string, unknown>): object {
  if (!isLink(block)) return block;
  const { name, uri, mimeType, size } = block;
  const about = [mimeType, size === undefined ? undefined : `${size} bytes`].filter(Boolean).join(', ');
  return { type: 'text', text: `${name}${about === '' ? '' : ` (${about})`}: ${uri}` };
}
