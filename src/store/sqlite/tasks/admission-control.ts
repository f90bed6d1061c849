import type { Database } from '../../../sqlite/database.ts';
import type { NewTask } from '../../../task/record.ts';
import type { CreateOptions, CreateResult } from '../../contracts/task-contract.ts';
import type { QueueGauge } from './queue-gauge.ts';

const STORED = 'SELECT sum(bytes) AS bytes FROM usage WHERE principal = ?';

/** Whether there is room for one more task in the queue of its identity and in the share of its principal. */
export class AdmissionControl {
  readonly #gauge: QueueGauge;
  readonly #task: Pick<NewTask, 'identity' | 'principal'>;
  readonly #limits: Pick<CreateOptions, 'queueLimit' | 'share'>;

  constructor(gauge: QueueGauge, task: NewTask, limits: Pick<CreateOptions, 'queueLimit' | 'share'>) {
    this.#gauge = gauge;
    this.#task = task;
    this.#limits = limits;
  }

  /** Counts the queues again where needed. Call it outside of transactions. */
  refresh(db: Database): void {
    const { queueLimit, share } = this.#limits;
    const { identity, principal } = this.#task;
    this.#gauge.refresh(db, { identity }, queueLimit);
    if (share && Number.isFinite(share.queued)) this.#gauge.refresh(db, { identity, principal }, share.queued);
  }

  /** Why a task of `bytes` is refused; `undefined` when it is accepted. */
  refuse(db: Database, bytes: number): CreateResult | undefined {
    const { queueLimit } = this.#limits;
    const { identity } = this.#task;
    const waiting = this.#countIfFull(db);
    if (waiting !== undefined) return { kind: 'over-share', limit: 'queued', used: waiting };
    const queued = this.#gauge.countIfFull(db, { identity }, queueLimit);
    if (queued !== undefined) return { kind: 'full', queued };
    return this.refuseBytes(db, bytes);
  }

  /** Like `refuse`, but checks only the stored bytes, for writes that add no task. */
  refuseBytes(db: Database, bytes: number): CreateResult | undefined {
    const most = this.#limits.share?.storedBytes ?? Infinity;
    if (most === Infinity) return undefined;
    const used = db.get<{ bytes: number | null }>(STORED, this.#task.principal)?.bytes ?? 0;
    return used + bytes > most ? { kind: 'over-share', limit: 'storedBytes', used } : undefined;
  }

  /** How many tasks of the principal wait, when its limit is reached. */
  #countIfFull(db: Database): number | undefined {
    const { identity, principal } = this.#task;
    const limit = this.#limits.share?.queued ?? Infinity;
    return limit === Infinity ? undefined : this.#gauge.countIfFull(db, { identity, principal }, limit);
  }
}
