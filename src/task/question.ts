import type { Json } from './json.ts';

/** What a tool can ask while it runs. Schemas are JSON Schema; the context converts zod. */
export type QuestionRequest =
  | { readonly kind: 'form'; readonly message: string; readonly schema: Json }
  | { readonly kind: 'url'; readonly message: string; readonly url: string }
  | { readonly kind: 'sampling'; readonly params: Json }
  | { readonly kind: 'roots' };

/**
 * `accept` carries the form's values, the sampling result or the roots; the others carry only the self-reported name of the
 * client that answered.
 */
export type Answer =
  | { readonly action: 'accept'; readonly content?: Json }
  | { readonly action: 'decline'; readonly by?: string }
  | { readonly action: 'cancel'; readonly by?: string };

/** A question of one task. Its key is unique within the task. */
export interface Question {
  readonly key: string;
  readonly request: QuestionRequest;
  readonly askedAt: number;
  readonly answer?: Answer;
  readonly answeredAt?: number;
}

/** Whether a person answers the question, rather than a program. */
export function isForPerson({ request: { kind } }: Pick<Question, 'request'>): boolean {
  return kind === 'form' || kind === 'url';
}

/** Whether a question still waits for its answer. */
export function isOpen(question: Question): boolean {
  return question.answer === undefined;
}

/** Returns in words who must answer the open questions; `undefined` when there are none. People come first: they take longest. */
export function toAwaitedText(questions: readonly Pick<Question, 'request' | 'answer'>[]): string | undefined {
  const open = questions.filter(({ answer }) => answer === undefined);
  const kinds = new Set(open.map(({ request }) => request.kind));
  if (kinds.has('form')) return "the user's answer";
  if (kinds.has('url')) return 'the user to open a page';
  if (kinds.has('sampling')) return "the client's model";
  return kinds.has('roots') ? "the client's directories" : undefined;
}
