/**
 * Answers that no person gave: headless clients answer questions by themselves, as no user sits in front of them.
 *
 * Codex exec, Claude `-p` and Copilot declare that they can ask their user, and then decline within 2 to 70 ms.
 */
import type { SteadyReading } from '../../../clock.ts';
import { type Answer, isForPerson, type Question } from '../../../task/question.ts';
import type { IncomingCall, ServerPort } from '../../server-port.ts';

/**
 * A person does not decline faster than this what they were shown: to react to a light takes 200 ms, to read a line and
 * choose takes longer. A person who is mistaken for a program is asked once more, by the model; a program that is
 * mistaken for a person costs the work.
 */
const FASTEST_PERSON_MS = 300;

/** What is known of an answer apart from its content. */
export interface AnswerTraits {
  /** Ms since the question was sent, by a monotonic clock; undefined when another process sent it. */
  readonly afterMs: number | undefined;
  /** Whether the client is known to be headless. */
  readonly isHeadless: boolean;
}

/** Whether an answer shows that its question was not shown to any person. An accepted question was shown. */
export function isHeadlessAnswer(
  question: Question,
  { action }: Answer,
  { afterMs, isHeadless }: AnswerTraits,
): boolean {
  if (action === 'accept' || !isForPerson(question)) return false;
  return isHeadless || (afterMs !== undefined && afterMs >= 0 && afterMs < FASTEST_PERSON_MS);
}

/** Whether the client of a call is known to be headless. */
export function isHeadless(port: Pick<ServerPort, 'findProfile'>, { caller, channel }: IncomingCall): boolean {
  return channel.headless.isHeadless || port.findProfile(caller).headless === true;
}

/** Answers that came with a repeated request. */
export interface GivenAnswers {
  readonly questions: readonly Question[];
  readonly answers: Readonly<Record<string, Answer>>;
  /** When the questions were sent, by the clock of the machine that sent them. */
  readonly sent: SteadyReading | undefined;
  /** When the answers arrived. */
  readonly now: SteadyReading;
}

/** Returns the answers of a person. If an answer shows that its question was not shown, the client is remembered as headless. */
export function dropHeadlessAnswers(
  port: Pick<ServerPort, 'findProfile'>,
  call: IncomingCall,
  given: GivenAnswers,
): Record<string, Answer> {
  const { sent, now, questions } = given;
  const afterMs = sent?.boot === now.boot ? now.ms - sent.ms : undefined;
  const traits = { afterMs, isHeadless: isHeadless(port, call) };
  const answers = { ...given.answers };
  for (const question of questions) {
    const answer = Object.hasOwn(answers, question.key) ? answers[question.key] : undefined;
    if (!answer || !isHeadlessAnswer(question, answer, traits)) continue;
    call.channel.headless.learnHeadless();
    delete answers[question.key];
  }
  return answers;
}
