/** Faults that can be injected on purpose, to watch the recovery. Only in a sandbox, whose work matters to no user. */
import type { Route } from '../../dashboard/http/route.ts';
import { TaskError } from '../../errors.ts';
import type { TaskClient, WorkerView } from '../../index.ts';
import { isAlive } from '../../process/process-ref.ts';
import type { Store } from '../../store/index.ts';
import { limitPages } from '../../store/sqlite/page-limit.ts';
import type { PromptLogView } from '../prompts/prompt-log-view.ts';
import type { CutFetch } from './cut-fetch.ts';
import type { FaultyFetch, NotificationFault } from './faulty-fetch.ts';

export interface FaultOptions {
  readonly client: TaskClient;
  readonly identity: string;
  readonly cutFetch: CutFetch;
  readonly faultyFetch: FaultyFetch;
  readonly store: Store;
  readonly promptLog: PromptLogView;
  readonly leaseMs: number;
}

export interface Fault {
  readonly kind: (typeof KINDS)[number];
  readonly pid?: number;
  readonly count?: number;
  /** How long it lasts, in ms. */
  readonly forMs?: number;
  /** The new path of a file that was moved. */
  readonly path?: string;
}

const KINDS = [
  ...(['kill-worker', 'pause-worker', 'drop-connection', 'delay-notifications', 'duplicate-notifications'] as const),
  ...(['rotate-log', 'fill-disk', 'end-ttl'] as const),
] as const;

const NOTIFICATION_FAULT_MS = 30_000;
const FULL_MS = 8000;
const MAX_ENDED = 1000;

export class Faults {
  readonly #options: FaultOptions;
  #freeing: NodeJS.Timeout | undefined;

  constructor(options: FaultOptions) {
    this.#options = options;
  }

  async make(kind: unknown): Promise<Fault> {
    switch (kind) {
      case 'kill-worker':
        return { kind, pid: await this.#signal('SIGKILL') };
      case 'pause-worker':
        return { kind, pid: await this.#pause() };
      case 'drop-connection':
        return { kind, count: this.#options.cutFetch.cut() };
      case 'delay-notifications':
        return { kind, forMs: this.#disturbNotifications('delay') };
      case 'duplicate-notifications':
        return { kind, forMs: this.#disturbNotifications('duplicate') };
      case 'rotate-log':
        return { kind, path: await this.#options.promptLog.rotate() };
      case 'fill-disk':
        return { kind, forMs: this.#fill() };
      case 'end-ttl':
        return { kind, count: await this.#endTtl() };
      default:
        throw new TaskError('INVALID_ARGUMENT', `kind is ${JSON.stringify(kind)}; expected ${KINDS.join(', ')}`);
    }
  }

  close(): void {
    clearTimeout(this.#freeing);
  }

  async #signal(signal: NodeJS.Signals): Promise<number> {
    const worker = (await this.#options.client.workers()).find((one) => this.#isOurs(one));
    if (!worker?.process)
      throw new TaskError('INVALID_ARGUMENT', 'no worker is at work; make a call that takes a while, and try again');
    process.kill(worker.process.pid, signal);
    return worker.process.pid;
  }

  /**
   * Stops a worker for longer than its lease, so that it is declared dead. If it was not killed by then, it resumes, and finds
   * that its work was given to another worker.
   */
  async #pause(): Promise<number> {
    const pid = await this.#signal('SIGSTOP');
    const waking = setTimeout(() => wake(pid), this.#options.leaseMs * 3);
    waking.unref();
    return pid;
  }

  #disturbNotifications(what: NotificationFault): number {
    this.#options.faultyFetch.begin(what, NOTIFICATION_FAULT_MS);
    return NOTIFICATION_FAULT_MS;
  }

  /** Simulates a full disk for a while; a second call meanwhile restarts the time. */
  #fill(): number {
    const free = limitPages(this.#options.store);
    clearTimeout(this.#freeing);
    this.#freeing = setTimeout(free, FULL_MS).unref();
    return FULL_MS;
  }

  /** Expires ended tasks as if their TTL had passed. */
  async #endTtl(): Promise<number> {
    const { store, client } = this.#options;
    const now = client.now();
    const sweep = { expiresBefore: now, endedBefore: now, tombstonesBefore: 0, limit: MAX_ENDED };
    return (await store.tasks.sweep(sweep)).expired;
  }

  #isOurs({ identity, kind, process: ref }: WorkerView): boolean {
    const isDetached = identity === this.#options.identity && kind === 'detached' && ref !== undefined;
    return isDetached && ref.pid !== process.pid && isAlive(ref) === true;
  }
}

export function toFaultRoutes(faults: Faults): readonly Route[] {
  return [{ method: 'POST', path: '/api/faults', handle: ({ body }) => faults.make(body.kind) }];
}

function wake(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch {
    // The process was killed meanwhile.
  }
}
