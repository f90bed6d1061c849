import { TaskError } from '../../errors.ts';
import { type Json, toFingerprint } from '../../task/json.ts';
import type { Answer, Question, QuestionRequest } from '../../task/question.ts';
import { shorten } from '../../text/cut-text.ts';
import type { Bell } from '../change-router.ts';
import { type AskOptions, toRequest, toTyped } from './question-form.ts';
import { Stopper } from './stopper.ts';

/** What the questions of an attempt need from it. */
export interface QuestionHost {
  /** Opens a question in the store; throws when the lease is lost. */
  open(question: Pick<Question, 'key' | 'request'>): Promise<void>;
  /** The task's questions as they are now. */
  read(): Promise<readonly Question[]>;
  openBell(): Bell;
  /** A question has been answered; the tool does not know yet. */
  onAnswer(question: Pick<Question, 'request' | 'answer'>): void;
  /** The attempt begins to wait: its slot and its clock stop. */
  onWait(): void;
  /** The attempt goes on as soon as there is a slot, or the signal aborts. */
  onGoOn(signal: AbortSignal): Promise<void>;
}

/**
 * The questions one attempt asks.
 *
 * Every question has a key that is unique for the task's life. A re-run from the top meets its old questions
 * again: an answered one returns the stored answer, an open one is waited for, and a different one under an old
 * key is `REPLAY_MISMATCH`, because then the tool does not repeat what it did before.
 */
export class Questions {
  readonly #host: QuestionHost;
  readonly #known: Map<string, Pick<Question, 'request' | 'answer'>>;
  readonly #stopper = new Stopper();
  #asked = 0;
  #waiting = 0;

  constructor(host: QuestionHost, known: readonly Question[]) {
    this.#host = host;
    this.#known = new Map(known.map((question) => [question.key, question]));
  }

  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  async ask(options: AskOptions): Promise<Json> {
    const key = options.key ?? `q${++this.#asked}`;
    const request = toRequest(options);
    const known = this.#known.get(key);
    if (known && toFingerprint(known.request) !== toFingerprint(request)) {
      throw new TaskError(
        'REPLAY_MISMATCH',
        `question ${JSON.stringify(key)} was asked before in another form; a re-run must ask the same questions under the same keys`,
      );
    }
    if (known?.answer) return toTyped(options, toValue({ key, request }, known.answer));
    if (!known) await this.#open(key, request);
    const answer = await this.#wait(key);
    const answered = { request, answer };
    this.#known.set(key, answered);
    this.#host.onAnswer(answered);
    return toTyped(options, toValue({ key, request }, answer));
  }

  /** Nobody waits for an answer any more; those who do, get the reason. */
  stop(reason: Error): void {
    this.#stopper.stop(reason);
  }

  async #open(key: string, request: QuestionRequest): Promise<void> {
    this.#known.set(key, { request });
    try {
      await this.#host.open({ key, request });
    } catch (error) {
      // A question that was never written would be waited for without end if the tool asked it again.
      this.#known.delete(key);
      throw error;
    }
  }

  async #wait(key: string): Promise<Answer> {
    const { signal } = this.#stopper;
    const bell = this.#host.openBell();
    if (this.#waiting++ === 0) this.#host.onWait();
    try {
      for (;;) {
        signal.throwIfAborted();
        const answer = (await this.#host.read()).find((question) => question.key === key)?.answer;
        if (answer) return answer;
        await bell.wait(signal);
      }
    } finally {
      bell.close();
      if (--this.#waiting === 0) await this.#host.onGoOn(signal);
    }
  }
}

function toValue({ key, request }: Pick<Question, 'key' | 'request'>, answer: Answer): Json {
  if (answer.action === 'accept') return answer.content ?? {};
  throw toRefusal({ key, request }, answer);
}

/** What the tool hears of a question that was not answered: which, and by whom. */
export function toRefusal(
  { key, request }: Pick<Question, 'key' | 'request'>,
  { action, by }: Exclude<Answer, { readonly action: 'accept' }>,
): TaskError {
  const asked = 'message' in request ? `: ${JSON.stringify(shorten(request.message, MAX_TOLD_LENGTH))}` : '';
  const verb = action === 'decline' ? 'declined' : 'cancelled';
  const text = `question ${JSON.stringify(key)} was ${verb}${by === undefined ? '' : ` by ${by}`}${asked}`;
  return new TaskError('QUESTION_DECLINED', text, { data: { key, action, ...(by !== undefined && { by }) } });
}

/** How much of a question is told again with its refusal. */
const MAX_TOLD_LENGTH = 200;
