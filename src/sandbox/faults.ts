/** What can be broken on purpose, to see that it comes back. Only in a sandbox, whose work is nobody's. */
import type { Route } from '../dashboard/http/route.ts';
import { TaskError } from '../errors.ts';
import type { TaskClient, WorkerView } from '../index.ts';
import { isAlive } from '../process/process-ref.ts';
import type { CutFetch } from './cut-fetch.ts';

export interface FaultOptions {
  readonly client: TaskClient;
  readonly identity: string;
  readonly way: CutFetch;
  readonly leaseMs: number;
}

export interface Fault {
  readonly kind: (typeof KINDS)[number];
  readonly pid?: number;
  readonly count?: number;
}

const KINDS = ['kill-worker', 'pause-worker', 'drop-connection'] as const;

export class Faults {
  readonly #options: FaultOptions;

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
        return { kind, count: this.#options.way.cut() };
      default:
        throw new TaskError('INVALID_ARGUMENT', `kind is ${JSON.stringify(kind)}; expected ${KINDS.join(', ')}`);
    }
  }

  async #signal(signal: NodeJS.Signals): Promise<number> {
    const worker = (await this.#options.client.workers()).find((one) => this.#isOurs(one));
    if (!worker?.process)
      throw new TaskError('INVALID_ARGUMENT', 'no worker is at work; make a call that takes a while, and try again');
    process.kill(worker.process.pid, signal);
    return worker.process.pid;
  }

  /** Long enough to be taken for dead. What was not ended by then wakes up, and finds that its work has been given away. */
  async #pause(): Promise<number> {
    const pid = await this.#signal('SIGSTOP');
    const waking = setTimeout(() => wake(pid), this.#options.leaseMs * 3);
    waking.unref();
    return pid;
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
    // It was ended meanwhile.
  }
}
