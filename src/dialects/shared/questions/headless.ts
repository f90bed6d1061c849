/**
 * Answers that nobody gave: of clients that answer questions by themselves, because nobody sits before them.
 *
 * Codex exec, Claude `-p` and Copilot declare that they can ask their user, and then decline within 2 to 70 ms.
 */
import type { SteadyReading } from '../../../clock.ts';
import { type Answer, isForPerson, type Question } from '../../../task/question.ts';
import type { IncomingCall, ServerPort } from '../../server-port.ts';

/**
 * Faster than this nobody refuses what they were shown: to react to a light takes 200 ms, to read a line and choose takes
 * longer. Whoever is taken for a program by mistake is asked once more, by the model; a program that is taken for a
 * person costs the work.
 */
const FASTEST_PERSON_MS = 300;

/** What is known of an answer besides its words. */
export interface AnswerTraits {
  /** Since the question was sent, by a clock that nobody sets; nothing when it was sent by somebody else. */
  readonly afterMs: number | undefined;
  /** The client's profile says that nobody is there. */
  readonly isHeadless: boolean;
}

/** Whether an answer shows that its question was shown to nobody. What was accepted was answered. */
export function isUnshown(question: Question, { action }: Answer, { afterMs, isHeadless }: AnswerTraits): boolean {
  if (action === 'accept' || !isForPerson(question)) return false;
  return isHeadless || (afterMs !== undefined && afterMs >= 0 && afterMs < FASTEST_PERSON_MS);
}

/** Whether it is known of the client of a call that nobody sits before it. */
export function isHeadless(port: Pick<ServerPort, 'findProfile'>, { caller, channel }: IncomingCall): boolean {
  return channel.headless.isHeadless || port.findProfile(caller).headless === true;
}

/** Answers that came with a repeated request. */
export interface GivenAnswers {
  readonly questions: readonly Question[];
  readonly answers: Readonly<Record<string, Answer>>;
  /** When they were asked for, by the clock of the machine that did. */
  readonly sent: SteadyReading | undefined;
  /** When they came. */
  readonly now: SteadyReading;
}

/** Those that answer something; that the rest was shown to nobody is remembered of the client. */
export function takeShown(
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
    if (!answer || !isUnshown(question, answer, traits)) continue;
    call.channel.headless.learnHeadless();
    delete answers[question.key];
  }
  return answers;
}
