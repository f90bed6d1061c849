import { randomUUID } from 'node:crypto';
import { TaskError } from '../../errors.ts';
import type { JsonObject } from '../../host/index.ts';
import { cutText } from '../../text/cut-text.ts';
import type { Direction } from '../wire/tap-fetch.ts';
import { HeadTailBuffer, toWireMessage, WireMask } from '../wire/wire-record.ts';
import type { PlayOptions } from './play.ts';
import type { RecordedClient } from './recorded-clients.ts';
import type { RunQuestion, RunStep, RunView } from './run-view.ts';
import type { PersonAnswer, PersonQuestion, SceneClock } from './scene.ts';

export interface RunOptions {
  readonly runId: string;
  readonly client: RecordedClient;
  readonly tool: string;
  readonly args: JsonObject;
  readonly speed: number;
  readonly clock: SceneClock;
  /** Called once for all changes within a short time. */
  onChange(runId: string): void;
}

interface PendingQuestion {
  readonly question: RunQuestion;
  settle(answer: PersonAnswer): void;
}

const MAX_READ = 20_000;
const GATHER_MS = 100;

/** The recorded steps of one run, and its open questions. */
export class Run implements PlayOptions {
  readonly mask = new WireMask();
  readonly #options: RunOptions;
  readonly #startedAt = Date.now();
  readonly #steps = new HeadTailBuffer<RunStep>();
  readonly #asking = new Map<string, PendingQuestion>();
  #beganAt = 0;
  #gathering: NodeJS.Timeout | undefined;
  #end: Pick<RunView, 'end' | 'text' | 'endedAt'> | undefined;

  constructor(options: RunOptions) {
    this.#options = options;
  }

  get call(): Pick<RunOptions, 'tool' | 'args'> {
    return this.#options;
  }

  get view(): RunView {
    const { runId, client, speed, tool, args } = this.#options;
    return {
      ...{ runId, client: client.name, speed, tool, startedAt: this.#startedAt },
      args: this.mask.hide(args) as JsonObject,
      state: this.#end ? 'ended' : 'running',
      ...this.#end,
      steps: this.#steps.items,
      left: this.#steps.dropped,
      questions: [...this.#asking.values()].map(({ question }) => question),
    };
  }

  /** Starts the run's clock, when the server is ready and the client connects. */
  begin(): void {
    this.#beganAt = this.#options.clock.elapsed();
  }

  record(direction: Direction, text: string): void {
    this.#add({ kind: 'message', ...toWireMessage(this.mask, direction, { at: this.#now(), text }) });
  }

  readonly onHandOver = (as: 'task' | 'words'): void => {
    this.#add({ kind: 'handed-over', at: this.#now(), as });
  };

  readonly onRead = (text: string, isFinal: boolean): void => {
    this.#add({ kind: 'read', at: this.#now(), text: cutText(String(this.mask.hide(text)), MAX_READ), isFinal });
  };

  readonly askPerson = (question: PersonQuestion): Promise<PersonAnswer> => {
    const key = randomUUID();
    return new Promise((resolve) => {
      const settle = (answer: PersonAnswer) => {
        this.#asking.delete(key);
        if (answer.action === 'accept') this.mask.learn(question.schema, answer.content);
        this.#notifyLater();
        resolve(answer);
      };
      this.#asking.set(key, { question: { key, ...question }, settle });
      this.#notifyLater();
    });
  };

  answer(key: string, answer: PersonAnswer): void {
    const asking = this.#asking.get(key);
    if (!asking) throw new TaskError('QUESTION_NOT_OPEN', `question ${JSON.stringify(key)} is not open any more`);
    asking.settle(answer);
  }

  end(end: NonNullable<RunView['end']>, text: string): void {
    this.#asking.clear();
    this.#end = { end, text: cutText(String(this.mask.hide(text)), MAX_READ), endedAt: this.#now() };
    this.#notifyLater();
  }

  #add(step: RunStep): void {
    this.#steps.add(step);
    this.#notifyLater();
  }

  #now(): number {
    return Math.round(this.#options.clock.elapsed() - this.#beganAt);
  }

  #notifyLater(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#options.onChange(this.#options.runId);
    }, GATHER_MS).unref();
  }
}
