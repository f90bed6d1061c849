/**
 * Questions that a tool wants answered before its task is created.
 *
 * In the modern era the client gets an `input_required` answer and repeats its call with the answers; nothing is stored
 * here meanwhile, the sealed state travels with the client. Elsewhere the same questions are asked when the work
 * begins.
 */

import { readSteady, type SteadyReading } from '../../clock.ts';
import type { IncomingCall, RpcResult } from '../../dialects/server-port.ts';
import { invalidParams, RpcFailure } from '../../dialects/shared/outcomes/rpc-failure.ts';
import { toRefusedResult } from '../../dialects/shared/outcomes/wire-outcome.ts';
import { dropHeadlessAnswers, isHeadless } from '../../dialects/shared/questions/headless.ts';
import { canAnswer, toAnswer, toInputRequest } from '../../dialects/shared/questions/mcp-input.ts';
import { checkAnswer, toRequest } from '../../engine/attempts/question-form.ts';
import { toRefusal } from '../../engine/attempts/questions.ts';
import type { TaskError } from '../../errors.ts';
import { MAX_CLIENT_TEXT_LENGTH } from '../../limits.ts';
import { RPC_CODES } from '../../rpc-codes.ts';
import { type Json, toFingerprint } from '../../task/json.ts';
import type { Answer, Question } from '../../task/question.ts';
import { shorten } from '../../text/cut-text.ts';
import type { ServerParts } from '../server-parts.ts';
import type { ServerCall } from '../tasks/server-call.ts';

export type Upfront =
  | { readonly kind: 'answered'; readonly answers: Readonly<Record<string, Json>> }
  /** What the client gets instead of its result: the questions, or their refusal. */
  | { readonly kind: 'ask'; readonly answer: RpcResult };

interface State {
  readonly call: string;
  readonly answers: Record<string, Json>;
  readonly expiresAt: number;
  /** When the questions were sent. */
  readonly sent?: SteadyReading;
}

const USE = 'upfront';

/** Returns the answers if they are complete, else what to ask the client. */
export async function askUpfront(parts: ServerParts, call: ServerCall): Promise<Upfront> {
  const { tool } = call;
  if (!tool.definition.upfront || call.caller.era === 'legacy') return { kind: 'answered', answers: {} };
  const now = readSteady(parts.clock);
  const questions = toQuestions(call);
  const fingerprint = toFingerprint([call.caller.principal, call.name, call.args ?? {}]);
  const state = await readState(parts, call, fingerprint);
  const given = readAnswers(questions, call.inputResponses ?? {});
  // A held call can ask the open questions in words later, when the work begins.
  const hasWords = !call.caller.declaresTasks && tool.taskMode !== 'never';
  const shown = hasWords
    ? dropHeadlessAnswers(parts.port, call, { questions, answers: given, sent: state?.sent, now })
    : given;
  const refusal = findRefusal(questions, shown, call);
  if (refusal)
    return { kind: 'ask', answer: { ...toRefusedResult(refusal.message, refusal.data as Json | undefined) } };
  const answers = { ...state?.answers, ...toContents(shown) };
  const open = questions.filter(({ key }) => !Object.hasOwn(answers, key));
  if (open.length === 0 || (hasWords && isHeadless(parts.port, call))) return { kind: 'answered', answers };
  const unanswerable = open.filter((question) => !canAnswer(question, call.caller.capabilities));
  if (unanswerable.length > 0) throw missingCapabilitiesError(unanswerable);
  const inputRequests = Object.fromEntries(open.map((question) => [question.key, toInputRequest('upfront', question)]));
  const expiresAt = parts.clock.now() + parts.settings.unansweredMs;
  const seal = await parts.openSeal();
  const sent = { ...readSteady(parts.clock) };
  const requestState = seal.seal(USE, { call: fingerprint, answers, expiresAt, sent });
  return { kind: 'ask', answer: { resultType: 'input_required', inputRequests, requestState } };
}

export function foreignStateError(): RpcFailure {
  return invalidParams('requestState was not made by this server, or has been changed');
}

/** A server must not rely on undeclared capabilities: https://modelcontextprotocol.io/specification/2026-07-28/basic */
function missingCapabilitiesError(questions: readonly Question[]): RpcFailure {
  const names = { form: 'elicitation', url: 'elicitation', sampling: 'sampling', roots: 'roots' } as const;
  const requiredCapabilities = Object.fromEntries(questions.map(({ request }) => [names[request.kind], {}]));
  return new RpcFailure(RPC_CODES.MISSING_CLIENT_CAPABILITY, 'Missing required client capability', {
    requiredCapabilities,
  });
}

function toQuestions({ tool, args }: ServerCall): Question[] {
  const asked = tool.definition.upfront?.(tool.parseArgs(args) as never) ?? {};
  return Object.entries(asked).map(([key, question]) => ({ key, request: toRequest(question), askedAt: 0 }));
}

async function readState(parts: ServerParts, call: IncomingCall, fingerprint: string): Promise<State | undefined> {
  if (call.requestState === undefined) return undefined;
  const state = (await parts.openSeal()).open(USE, call.requestState) as State | undefined;
  if (!state) throw foreignStateError();
  if (state.call !== fingerprint) throw invalidParams('requestState belongs to another call');
  if (state.expiresAt <= parts.clock.now()) throw invalidParams('requestState has expired: call again without it');
  return state;
}

function readAnswers(
  questions: readonly Question[],
  responses: { readonly [key: string]: unknown },
): Record<string, Answer> {
  const answers: Record<string, Answer> = {};
  for (const question of questions) {
    if (!Object.hasOwn(responses, question.key)) continue;
    const answer = toAnswer(question, responses[question.key]);
    checkAnswer(question, answer);
    answers[question.key] = answer;
  }
  return answers;
}

/** Returns the refusal of the first refused question, as the tool would have received it. */
function findRefusal(
  questions: readonly Question[],
  answers: Readonly<Record<string, Answer>>,
  { caller: { client } }: IncomingCall,
): TaskError | undefined {
  for (const question of questions) {
    const answer = Object.hasOwn(answers, question.key) ? answers[question.key] : undefined;
    if (!answer || answer.action === 'accept') continue;
    return toRefusal(question, { ...answer, ...(client && { by: shorten(client.name, MAX_CLIENT_TEXT_LENGTH) }) });
  }
  return undefined;
}

function toContents(answers: Readonly<Record<string, Answer>>): Record<string, Json> {
  const contents: Record<string, Json> = {};
  for (const [key, answer] of Object.entries(answers)) {
    if (answer.action === 'accept') contents[key] = answer.content ?? {};
  }
  return contents;
}
