import type { Clock } from '../../clock.ts';
import { currentProcess } from '../../process/process-ref.ts';
import type { Store } from '../../store/contract.ts';
import type { Build } from '../../store/contracts/worker-contract.ts';
import { isOnSameMachine } from '../../store/decide-worker.ts';
import { makeToken } from '../../task/id.ts';
import { toRetryDelay } from '../../task/retry.ts';
import { type CommandLine, toCommandLine } from './worker-process.ts';
import { WorkerStart } from './worker-start.ts';

export interface DetachedWorkerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly identity: string;
  readonly build: Build;
  /** The file that is run instead of the program. */
  readonly workerEntry: string | undefined;
  readonly leaseMs: number;
  /** How long a new worker should take to register. */
  readonly startMs: number;
  /** Called when there is a worker that claims tasks. */
  onReady(): void;
  /** Called when there is no worker, and the work should not wait for one. */
  onMissing(missing: MissingWorker): void;
  /** Called when a worker that was started here has exited, for whatever reason. */
  onEnded(): void;
  report(error: unknown): void;
}

export interface MissingWorker {
  readonly why: string;
  /** Whether another start may succeed. */
  readonly isTemporary: boolean;
}

/** How many starts the work waits for; then it runs without a worker, while further starts are tried. */
const STARTS_WAITED_FOR = 2;

const BACK_OFF = { maxAttempts: Infinity, firstDelayMs: 1000, maxDelayMs: 60_000 };

/**
 * Ensures that the identity has its one detached worker on this machine.
 *
 * The worker is the user's own command line run again. Its place is reserved in the store before it is spawned, so that
 * several serving processes start only one worker. The reservation names this process: if it exits before the worker has
 * registered, the next process that checks sees that at once.
 *
 * A start that failed is retried after a pause that doubles, up to a minute, for as long as a worker is asked for.
 */
export class DetachedWorker {
  readonly #options: DetachedWorkerOptions;
  #ensuring: Promise<void> | undefined;
  #current: WorkerStart | undefined;
  #isShuttingDown = false;
  /** Whether work waits for the worker; the failure of one that is started ahead of work is not reported. */
  #isAwaited = false;
  /** Starts that failed since there last was a worker. */
  #failures = 0;
  #notBefore = 0;

  constructor(options: DetachedWorkerOptions) {
    this.#options = options;
  }

  /** Starts a worker if there is none and the back-off allows it; concurrent calls share one start. */
  ensure(): Promise<void> {
    this.#isAwaited = true;
    return this.#startShared();
  }

  /** Like `ensure`, but ahead of the work: tried once, and failures are not reported. */
  warm(): Promise<void> {
    return this.#startShared();
  }

  #startShared(): Promise<void> {
    this.#ensuring ??= this.#start().finally(() => {
      this.#ensuring = undefined;
      this.#isAwaited = false;
    });
    return this.#ensuring;
  }

  /** Whether a worker of this build or a newer one is running. */
  async isReady(): Promise<boolean> {
    return (await this.#find()) === 'ready';
  }

  /** Called on shutdown: resolves when no worker that work waits for is being started. */
  async shutDown(): Promise<void> {
    this.#isShuttingDown = true;
    this.#current?.abandon();
    await this.#ensuring?.catch(() => {});
  }

  async #start(): Promise<void> {
    const { clock } = this.#options;
    const onMissing = (missing: MissingWorker) => this.#onMissing(missing);
    if (clock.monotonic() < this.#notBefore) return;
    const found = await this.#find();
    if (found !== undefined) return found === 'ready' ? this.#onReady() : undefined;
    const line = toCommandLine(this.#options.workerEntry);
    if (!line)
      return onMissing(
        toImpossible('this program has no entry file that could be run again; workerEntry can name one'),
      );
    if (process.platform === 'win32') return onMissing(toImpossible('detached workers need POSIX process groups'));
    for (;;) {
      const why = await this.#startOnce(line);
      if (why === undefined || !this.#isAwaited) return;
      const pauseMs = toRetryDelay(BACK_OFF, ++this.#failures);
      if (this.#failures >= STARTS_WAITED_FOR) {
        this.#notBefore = clock.monotonic() + pauseMs;
        return onMissing({ why, isTemporary: true });
      }
      await new Promise<void>((resolve) => clock.after(pauseMs, resolve));
    }
  }

  /** Resolves with `undefined` when there is a worker, ours or another's, or with the reason why there is none. */
  async #startOnce(line: CommandLine): Promise<string | undefined> {
    const { store, identity, build, leaseMs, report } = this.#options;
    const workerId = makeToken();
    const starter = currentProcess();
    const place = { workerId, identity, kind: 'detached', build, leaseMs, starter } as const;
    if ((await store.workers.reserve(place)).kind === 'exists') return undefined;
    const onLate = (why: string) => this.#onMissing({ why, isTemporary: true });
    const isAwaited = () => this.#isAwaited;
    const start = new WorkerStart({ ...this.#options, workerId, line, onLate, isAwaited });
    if (this.#isShuttingDown) start.abandon();
    this.#current = start;
    const why = await start.run();
    if (why === undefined) this.#onReady();
    else await store.workers.retire(workerId, { ifIdle: false }).catch(report);
    return why;
  }

  #onMissing(missing: MissingWorker): void {
    if (this.#isAwaited) this.#options.onMissing(missing);
  }

  #onReady(): void {
    this.#failures = 0;
    this.#options.onReady();
  }

  /** Checks without a write: usually the worker is there. */
  async #find(): Promise<'ready' | 'starting' | undefined> {
    const { store, identity, build } = this.#options;
    const self = currentProcess();
    const states = (await store.workers.list(identity))
      .filter((worker) => worker.kind === 'detached' && isOnSameMachine(worker, self))
      .filter((worker) => worker.build.id === build.id || worker.build.at > build.at)
      .map(({ state }) => state);
    return states.includes('ready') ? 'ready' : states.includes('starting') ? 'starting' : undefined;
  }
}

function toImpossible(why: string): MissingWorker {
  return { why, isTemporary: false };
}
