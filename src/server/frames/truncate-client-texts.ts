/** Cuts long client texts on arrival: refusing them would help nobody. */

import { CLIENT_INFO_META_KEY } from '@modelcontextprotocol/server';
import { isObject } from '../../is-object.ts';
import { MAX_CLIENT_TEXT_LENGTH, MAX_REASON_LENGTH } from '../../limits.ts';
import { cutText } from '../../text/cut-text.ts';

type Members = { [name: string]: unknown };

const CLIENT_TEXTS = ['name', 'version', 'title', 'description', 'websiteUrl'];

/**
 * Cuts a client's self-description and the reason of a cancel, in a message or in each message of a batch.
 *
 * The value is changed in place: it has just been parsed, nothing else refers to it, and copying a large message is
 * expensive.
 */
export function truncateClientTexts(value: unknown): void {
  if (Array.isArray(value)) value.forEach(truncateClientTexts);
  const { method, params } = isObject(value) ? value : {};
  if (!isObject(params)) return;
  if (method === 'initialize') cutClient(params, 'clientInfo');
  if (method === 'notifications/cancelled' && typeof params.reason === 'string') {
    (params as Members).reason = cutText(params.reason, MAX_REASON_LENGTH);
  }
  if (isObject(params._meta)) cutClient(params._meta, CLIENT_INFO_META_KEY);
}

/** Keeps only the texts: client icons are shown nowhere, and the session id carries what is kept. */
function cutClient(holder: Members, name: string): void {
  const client = holder[name];
  if (!Object.hasOwn(holder, name) || !isObject(client)) return;
  const kept = CLIENT_TEXTS.filter((field) => Object.hasOwn(client, field)).map((field) => [
    field,
    toCut(client[field]),
  ]);
  holder[name] = Object.fromEntries(kept);
}

function toCut(value: unknown): unknown {
  return typeof value === 'string' ? cutText(value, MAX_CLIENT_TEXT_LENGTH) : value;
}
