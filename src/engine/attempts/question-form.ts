import { z } from 'zod';
import { TaskError } from '../../errors.ts';
import { invalidField } from '../../invalid-field.ts';
import type { Json } from '../../task/json.ts';
import type { Answer, Question, QuestionRequest } from '../../task/question.ts';
import { toJsonSchema } from '../schemas/json-schema.ts';
import { isStandard, toIssuesText } from '../schemas/standard-schema.ts';
import { type JsonObjectSchema, toJsonCheck } from '../schemas/tool-schema.ts';

/**
 * What a tool may pass to `ask`.
 *
 * A `schema` is a zod 4 object, an object of another library that produces JSON Schema, or a JSON Schema of type object.
 * `key` names the question for the task's life; without one questions are q1, q2… in call order.
 */
export type AskOptions<Schema = unknown> =
  | { readonly key?: string; readonly message: string; readonly schema: Schema }
  | { readonly key?: string; readonly message: string; readonly url: string }
  | { readonly key?: string; readonly sampling: Json }
  | { readonly key?: string; readonly roots: true };

/** Converts what the tool asked into the form that is stored. */
export function toRequest(question: AskOptions): QuestionRequest {
  if ('schema' in question) {
    return { kind: 'form', message: requireText(question.message, 'message'), schema: toFormSchema(question.schema) };
  }
  if ('url' in question) {
    if (!URL.canParse(question.url)) throw invalidField('ask: url', question.url, 'an absolute URL');
    return { kind: 'url', message: requireText(question.message, 'message'), url: question.url };
  }
  if ('sampling' in question) return { kind: 'sampling', params: question.sampling };
  if ('roots' in question) return { kind: 'roots' };
  throw new TaskError('INVALID_ARGUMENT', 'ask: needs one of schema, url, sampling or roots');
}

/** Returns what the tool gets: a library's schema is applied last, with its defaults, transforms and refinements. */
export async function toTyped(question: AskOptions, value: Json): Promise<Json> {
  if (!('schema' in question) || !isStandard(question.schema)) return value;
  const checked = await question.schema['~standard'].validate(value);
  if (checked.issues === undefined) return checked.value as Json;
  throw new TaskError('ANSWER_INVALID', `the answer does not fit: ${toIssuesText(checked.issues)}`);
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
  const why = toAnswerCheck(schema)(content);
  if (why !== undefined) throw answerError(question, why);
}

/**
 * Returns a check that says how an answer violates a JSON Schema. Early versions of zod 4 cannot read one; then the SDK's
 * validator does.
 */
function toAnswerCheck(schema: Json): (content: unknown) => string | undefined {
  if (typeof z.fromJSONSchema !== 'function') return toJsonCheck(schema as JsonObjectSchema);
  const form = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  return (content) => {
    const checked = form.safeParse(content);
    return checked.success ? undefined : toIssuesText(checked.error.issues);
  };
}

function answerError(question: Question, why: string): TaskError {
  return new TaskError('ANSWER_INVALID', `the answer to question ${JSON.stringify(question.key)} does not fit: ${why}`);
}

function toFormSchema(schema: unknown): Json {
  try {
    const json = toJsonSchema(schema, 'input');
    toAnswerCheck(json);
    return json;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TaskError('INVALID_ARGUMENT', `ask: schema cannot be used to check answers: ${why}`, { cause });
  }
}

function requireText(value: unknown, field: string): string {
  if (typeof value === 'string' && value.length > 0) return value;
  throw invalidField(`ask: ${field}`, value, 'a non-empty string');
}
