import { z } from 'zod';
import { TaskError } from '../../errors.ts';
import { invalidField } from '../../invalid-field.ts';
import type { Json } from '../../task/json.ts';
import type { Answer, Question, QuestionRequest } from '../../task/question.ts';

/**
 * What a tool may pass to `ask`.
 *
 * A `schema` is a zod object or a JSON Schema of type object. `key` names the question for the task's life;
 * without one questions are q1, q2… in call order.
 */
export type AskOptions<Schema = unknown> =
  | { readonly key?: string; readonly message: string; readonly schema: Schema }
  | { readonly key?: string; readonly message: string; readonly url: string }
  | { readonly key?: string; readonly sampling: Json }
  | { readonly key?: string; readonly roots: true };

/** Turns what the tool asked into the form that is stored. */
export function toRequest(question: AskOptions): QuestionRequest {
  if ('schema' in question) {
    return { kind: 'form', message: requireText(question.message, 'message'), schema: toJsonSchema(question.schema) };
  }
  if ('url' in question) {
    if (!URL.canParse(question.url)) throw invalidField('ask: url', question.url, 'an absolute URL');
    return { kind: 'url', message: requireText(question.message, 'message'), url: question.url };
  }
  if ('sampling' in question) return { kind: 'sampling', params: question.sampling };
  if ('roots' in question) return { kind: 'roots' };
  throw new TaskError('INVALID_ARGUMENT', 'ask: needs one of schema, url, sampling or roots');
}

/** What the tool gets: a zod schema has the last word, with its defaults, transforms and refinements. */
export async function toTyped(question: AskOptions, value: Json): Promise<Json> {
  if (!('schema' in question) || !isZod(question.schema)) return value;
  const parsed = await question.schema.safeParseAsync(value);
  if (parsed.success) return parsed.data as Json;
  throw new TaskError('ANSWER_INVALID', `the answer does not fit: ${toText(parsed.error.issues)}`);
}

/** Throws `ANSWER_INVALID` when an answer does not fit its question. */
export function checkAnswer(question: Question, answer: Answer): void {
  const action: unknown = (answer as Partial<Answer> | null)?.action;
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') {
    throw answerError(question, `action is ${JSON.stringify(action)}; expected "accept", "decline" and "cancel"`);
  }
  if (answer.action !== 'accept') return;
  if (question.request.kind === 'form') checkForm(question, question.request.schema, answer.content);
  else if (question.request.kind !== 'url' && (answer.content === null || typeof answer.content !== 'object')) {
    throw answerError(question, `content must be an object for a ${question.request.kind} question`);
  }
}

function checkForm(question: Question, schema: Json, content: unknown): void {
  const checked = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(content);
  if (checked.success) return;
  throw answerError(question, toText(checked.error.issues));
}

function toText(issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]): string {
  return issues
    .map(({ path, message }) => (path.length > 0 ? `${path.map(String).join('.')}: ${message}` : message))
    .join('; ');
}

function answerError(question: Question, why: string): TaskError {
  return new TaskError('ANSWER_INVALID', `the answer to question ${JSON.stringify(question.key)} does not fit: ${why}`);
}

function toJsonSchema(schema: unknown): Json {
  const json = isZod(schema) ? (z.toJSONSchema(schema, { io: 'input' }) as unknown) : schema;
  if (json === null || typeof json !== 'object' || (json as { type?: unknown }).type !== 'object') {
    throw new TaskError('INVALID_ARGUMENT', 'ask: schema must be a zod object or a JSON Schema of type "object"');
  }
  try {
    z.fromJSONSchema(json as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (cause) {
    throw new TaskError('INVALID_ARGUMENT', `ask: schema cannot be used to check answers: ${String(cause)}`, { cause });
  }
  return json as Json;
}

function isZod(schema: unknown): schema is z.ZodType {
  return schema !== null && typeof schema === 'object' && '_zod' in schema;
}

function requireText(value: unknown, field: string): string {
  if (typeof value === 'string' && value.length > 0) return value;
  throw invalidField(`ask: ${field}`, value, 'a non-empty string');
}
