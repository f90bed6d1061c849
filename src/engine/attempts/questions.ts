import { TaskError } from '../../errors.ts';
import { type Json, toFingerprint } from '../../task/json.ts';
import type { Answer, Question, QuestionRequest } from '../../task/question.ts';
import { shorten } from '../../text/cut-text.ts';
import type { ChangeWaiter } from '../change-router.ts';
import { LazyAbortController } from './lazy-abort-controller.ts';
import { type AskOptions, toRequest, toTyped } from './question-form.ts';

/** What `Questions` needs from its attempt. */
export interface QuestionHost {
  /** Opens a question in the store; throws when the lease is lost. */
  open(question: Pick<Question, 'key' | 'request'>): Promise<void>;
  /** Reads the task's current questions. */
  read(): Promise<readonly Question[]>;
  openChangeWaiter(): ChangeWaiter;
  /** Called when a question has been answered, before the tool gets the answer. */
  onAnswer(question: Pick<Question, 'request' | 'answer'>): void;
  /** Called when the attempt starts to wait: frees its slot and pauses its run time. */
  onWait(): void;
  /** Called when the attempt continues; resolves when there is a slot, or when the signal aborts. */
  onResume(signal: AbortSignal): Promise<void>;
}

/**
 * The questions one attempt asks.
 *
 * Every question has a key that is unique for the task's life. A re-run from the top asks its old questions again: an
 * answered one returns the stored answer, an open one is waited for, and a different question under an old key is
 * `REPLAY_MISMATCH`, because the tool no longer repeats what it did before.
 */
export class Questions {
  readonly #host: QuestionHost;
  readonly #known: Map<string, Pick<Question, 'request' | 'answer'>>;
  readonly #abortController = new LazyAbortController();
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

  /** Ends all waits for answers; they reject with the reason. */
  stop(reason: Error): void {
    this.#abortController.abort(reason);
  }

  async #open(key: string, request: QuestionRequest): Promise<void> {
    this.#known.set(key, { request });
    try {
      await this.#host.open({ key, request });
    } catch (error) {
      // If the tool asked it again, a question that was never written would be waited for forever.
      this.#known.delete(key);
      throw error;
    }
  }

  async #wait(key: string): Promise<Answer> {
    const { signal } = this.#abortController;
    const waiter = this.#host.openChangeWaiter();
    if (this.#waiting++ === 0) this.#host.onWait();
    try {
      for (;;) {
        signal.throwIfAborted();
        const answer = (await this.#host.read()).find((question) => question.key === key)?.answer;
        if (answer) return answer;
        await waiter.wait(signal);
      }
    } finally {
      waiter.close();
      if (--this.#waiting === 0) await this.#host.onResume(signal);
    }
  }
}

function toValue({ key, request }: Pick<Question, 'key' | 'request'>, answer: Answer): Json {
  if (answer.action === 'accept') return answer.content ?? {};
  throw toRefusal({ key, request }, answer);
}

/** Returns the error that the tool gets for a question that was not answered: which question, and who refused it. */
export function toRefusal(
  { key, request }: Pick<Question, 'key' | 'request'>,
  { action, by }: Exclude<Answer, { readonly action: 'accept' }>,
): TaskError {
  const asked = 'message' in request ? `: ${JSON.stringify(shorten(request.message, MAX_TOLD_LENGTH))}` : '';
  const verb = action === 'decline' ? 'declined' : 'cancelled';
  const text = `question ${JSON.stringify(key)} was ${verb}${by === undefined ? '' : ` by ${by}`}${asked}`;
  return new TaskError('QUESTION_DECLINED', text, { data: { key, action, ...(by !== undefined && { by }) } });
}

/** How many characters of a question its refusal repeats. */
const MAX_TOLD_LENGTH = 200;
