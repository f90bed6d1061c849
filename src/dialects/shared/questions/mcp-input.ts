/** Questions in MCP form: the same request shapes serve elicitation, sampling and roots in both eras. */

import { TaskError } from '../../../errors.ts';
import { isObject } from '../../../is-object.ts';
import type { Json } from '../../../task/json.ts';
import type { Answer, Question } from '../../../task/question.ts';
import { toValueText } from '../../../text/value-text.ts';
import { SECRET_META, toWireForm } from './secret-form.ts';

/** A server-to-client request of MCP. */
export interface InputRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  readonly params?: { readonly [key: string]: Json };
}

/** Capabilities that say what a client can answer. */
export interface InputCapabilities {
  readonly elicitation?: unknown;
  readonly sampling?: unknown;
  readonly roots?: unknown;
}

/** Returns the request that asks a client this question. */
export function toInputRequest(taskId: string, { key, request }: Question): InputRequest {
  switch (request.kind) {
    case 'form': {
      const { message, schema } = request;
      const { requestedSchema, secrets } = toWireForm(withoutDialect(schema));
      const marks = secrets.length === 0 ? {} : { _meta: { [SECRET_META]: secrets } };
      return { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema, ...marks } };
    }
    case 'url': {
      const { message, url } = request;
      return { method: 'elicitation/create', params: { mode: 'url', message, url, elicitationId: `${taskId}/${key}` } };
    }
    case 'sampling':
      return { method: 'sampling/createMessage', params: request.params as { [key: string]: Json } };
    case 'roots':
      return { method: 'roots/list' };
  }
}

/** Parses a client's response to a question; throws `ANSWER_INVALID` when it is not an answer. */
export function toAnswer({ key, request }: Question, response: unknown): Answer {
  if (!isObject(response)) {
    throw new TaskError('ANSWER_INVALID', `the response to ${JSON.stringify(key)} is no bare result object`);
  }
  if (request.kind === 'sampling' || request.kind === 'roots') return { action: 'accept', content: response as Json };
  const { action, content } = response as { action?: unknown; content?: Json };
  if (action === 'accept') return content === undefined ? { action } : { action, content };
  if (action === 'decline' || action === 'cancel') return { action };
  const expected = '"accept", "decline" and "cancel"';
  throw new TaskError(
    'ANSWER_INVALID',
    `the response to ${JSON.stringify(key)} has action ${toValueText(action)}; expected ${expected}`,
  );
}

/** Whether a client that declared these capabilities can be asked this question. */
export function canAnswer({ request }: Question, capabilities: InputCapabilities): boolean {
  if (request.kind === 'sampling') return capabilities.sampling !== undefined;
  if (request.kind === 'roots') return capabilities.roots !== undefined;
  const modes = capabilities.elicitation as { form?: unknown; url?: unknown } | undefined;
  if (modes === undefined || modes === null) return false;
  // An empty object is the older way to declare support for forms.
  if (request.kind === 'form') return modes.form !== undefined || modes.url === undefined;
  return modes.url !== undefined;
}

/** Returns the capability that a client needs to be asked this question. */
export function toCapability({ request }: Question): string {
  if (request.kind === 'form' || request.kind === 'url') return `elicitation.${request.kind}`;
  return request.kind;
}

/** Removes `$schema`: some clients accept only the keywords that MCP lists. */
function withoutDialect(schema: Json): Json {
  if (!isObject(schema)) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== '$schema'));
}
