/**
 * A task store as simple as it can be: a list of tasks and a rule for each verb.
 *
 * It shares no code with the stores, so a mistake in what they share shows as well. It knows only what the
 * histories of `history-commands.ts` can do, one command at a time.
 */
export interface ModelTask {
  readonly taskId: string;
  readonly tool: string;
  readonly principal: string;
  readonly args: number;
  readonly key: string | undefined;
  readonly alias: string | undefined;
  readonly idempotent: boolean;
  readonly maxAttempts: number;
  readonly ttlMs: number | null;
  readonly queue: string | undefined;
  /** Who is still at work for it though it has ended. */
  leaving: string | undefined;
  status: string;
  attempt: number;
  fence: number;
  countsAsAttempt: boolean;
  losses: number;
  runAt: number;
  startBy: number | undefined;
  worker: string | undefined;
  questions: { key: string; open: boolean }[];
  steps: string[];
  progress: number | undefined;
  undelivered: number;
  endedAt: number | undefined;
  outcome: string | undefined;
  buriedAt: number | undefined;
  events: string[];
  forgottenEvents: number;
}

export type Wanted = Pick<
  ModelTask,
  | 'taskId'
  | 'tool'
  | 'principal'
  | 'args'
  | 'key'
  | 'alias'
  | 'idempotent'
  | 'maxAttempts'
  | 'ttlMs'
  | 'queue'
  | 'undelivered'
> & { readonly startWithinMs: number | undefined };

export interface ModelLease {
  readonly taskId: string;
  readonly fence: number;
  readonly worker: string;
}

const isOver = (task: ModelTask) => task.endedAt !== undefined;
const open = (task: ModelTask) => task.questions.filter((question) => question.open);

export class Model {
  now: number;
  tasks: ModelTask[] = [];
  workers = new Set<string>();
  stalled = new Set<string>();
  leases: ModelLease[] = [];
  created = 0;
  started = 0;
  /** When each principal was served last, by a count of all tasks that were claimed. */
  served = new Map<string, number>();
  claimed = 0;

  constructor(now: number) {
    this.now = now;
  }

  /** How many events there are in all. */
  get events(): number {
    return this.tasks.reduce((sum, task) => sum + task.events.length, 0);
  }

  find(taskId: string): ModelTask | undefined {
    return this.tasks.find((task) => task.taskId === taskId);
  }

  create({ startWithinMs, ...wanted }: Wanted, limits: { queueLimit: number; queued: number }): string {
    const own = this.tasks.filter((task) => task.principal === wanted.principal);
    const sameKey = own.find(
      (task) => wanted.key !== undefined && task.key === wanted.key && task.tool === wanted.tool,
    );
    const sameAlias = own.find((task) => wanted.alias !== undefined && task.alias === wanted.alias);
    const differs = (task: ModelTask) => task.tool !== wanted.tool || task.args !== wanted.args;
    if (sameKey && differs(sameKey)) return `conflict idempotencyKey ${sameKey.taskId}`;
    if (sameAlias && differs(sameAlias)) return `conflict alias ${sameAlias.taskId}`;
    if (sameKey && sameAlias && sameKey !== sameAlias) return `conflict alias ${sameAlias.taskId}`;
    const old = sameKey ?? sameAlias;
    if (old) return `joined ${old.taskId}`;
    const waiting = this.waiting(wanted.principal);
    if (waiting >= limits.queued) return `over-share queued ${waiting}`;
    const queued = this.tasks.filter((task) => task.status === 'queued').length;
    if (queued >= limits.queueLimit) return `full ${queued}`;
    this.tasks.push({
      ...wanted,
      status: 'queued',
      attempt: 0,
      fence: 0,
      countsAsAttempt: true,
      losses: 0,
      runAt: this.now,
      startBy: startWithinMs === undefined ? undefined : this.now + startWithinMs,
      worker: undefined,
      leaving: undefined,
      questions: [],
      steps: [],
      progress: undefined,
      endedAt: undefined,
      outcome: undefined,
      buriedAt: undefined,
      events: ['submitted'],
      forgottenEvents: 0,
    });
    return `created ${wanted.taskId}`;
  }

  /** Tasks of a principal that are in the queue or wait for an answer. */
  waiting(principal: string): number {
    const mine = this.tasks.filter((task) => task.principal === principal);
    return mine.filter((task) => task.status === 'queued' || task.status === 'input_required').length;
  }

  /** Principals in the order of their turns, one task each, round by round. */
  claim(
    worker: string,
    slots: { free: Record<string, number>; max: number; most: number; suspects: { losses: number; max: number } },
  ): ModelTask[] {
    if (!this.workers.has(worker)) return [];
    const left = { ...slots.free };
    let suspects = slots.suspects.max;
    const isLimited = (task: ModelTask) => task.losses >= slots.suspects.losses;
    const claimed: ModelTask[] = [];
    const isDue = (task: ModelTask) => task.status === 'queued' && task.runAt <= this.now && !this.#isLate(task);
    const due = this.tasks.filter((task) => isDue(task) && !this.isBehind(task));
    due.sort((a, b) => a.runAt - b.runAt);
    const turnOf = (principal: string) => this.served.get(principal) ?? 0;
    const order = [...new Set(due.map((task) => task.principal))].sort();
    order.sort((a, b) => turnOf(a) - turnOf(b));
    for (let round = 0; round < slots.most; round++) {
      for (const principal of order) {
        const mine = due.filter((one) => one.principal === principal && !claimed.includes(one));
        const task = mine.find((one) => (left[one.tool] ?? 0) > 0 && (!isLimited(one) || suspects > 0));
        if (!task || claimed.length >= slots.max) continue;
        if (isLimited(task)) suspects -= 1;
        left[task.tool] = (left[task.tool] ?? 0) - 1;
        claimed.push(task);
      }
    }
    for (const task of claimed) this.#lease(task, worker);
    return claimed;
  }

  /** Whether an earlier task of its queue is still in it. */
  isBehind(task: ModelTask): boolean {
    const earlier = this.tasks.slice(0, this.tasks.indexOf(task));
    return earlier.some((one) => task.queue !== undefined && this.queueOf(one) === task.queue);
  }

  queueOf(task: ModelTask): string | undefined {
    return isOver(task) && task.leaving === undefined ? undefined : task.queue;
  }

  leaveQueue({ taskId, fence, worker }: ModelLease): boolean {
    const task = this.find(taskId);
    if (task?.leaving !== worker || task.fence !== fence) return false;
    task.leaving = undefined;
    return true;
  }

  #lease(task: ModelTask, worker: string): void {
    this.claimed += 1;
    this.served.set(task.principal, this.claimed);
    if (task.countsAsAttempt) task.attempt += 1;
    task.fence += 1;
    task.startBy = undefined;
    task.status = 'working';
    task.worker = worker;
    task.events.push(`claimed ${task.attempt}/${task.fence}`);
    this.leases.push({ taskId: task.taskId, fence: task.fence, worker });
  }

  held(lease: ModelLease): ModelTask | undefined {
    const task = this.find(lease.taskId);
    return task && !isOver(task) && task.fence === lease.fence && task.worker === lease.worker ? task : undefined;
  }

  write(lease: ModelLease, what: { progress?: number; step?: string }): boolean {
    const task = this.held(lease);
    if (!task) return false;
    if (what.progress !== undefined) {
      task.progress = what.progress;
      task.events.push('progress');
    }
    if (what.step !== undefined) {
      task.steps.push(what.step);
      task.events.push('stepped');
    }
    return true;
  }

  ask(lease: ModelLease, key: string): boolean {
    const task = this.held(lease);
    if (!task) return false;
    if (task.questions.some((question) => question.key === key)) return true;
    task.questions.push({ key, open: true });
    task.status = 'input_required';
    task.events.push('asked');
    return true;
  }

  answer(taskId: string, keys: readonly string[]): string[] | undefined {
    const task = this.find(taskId);
    if (!task) return undefined;
    const accepted = open(task).filter((question) => keys.includes(question.key));
    for (const question of accepted) {
      question.open = false;
      task.events.push('answered');
    }
    if (accepted.length > 0 && open(task).length === 0) {
      if (task.worker !== undefined) task.status = 'working';
      else this.#queue(task, 'answered', Math.max(this.now, task.runAt));
    }
    return accepted.map((question) => question.key);
  }

  park(lease: ModelLease): boolean {
    const task = this.held(lease);
    if (!task || open(task).length === 0) return false;
    this.#park(task, false);
    task.runAt = this.now;
    return true;
  }

  requeue(lease: ModelLease, runAt: number, countsAsAttempt: boolean): boolean {
    const task = this.held(lease);
    if (!task) return false;
    if (open(task).length > 0) this.#park(task, countsAsAttempt);
    else this.#queue(task, 'retry', runAt);
    task.runAt = runAt;
    task.countsAsAttempt = countsAsAttempt;
    return true;
  }

  settle(lease: ModelLease, { kind: outcome, isStopping }: { kind: string; isStopping: boolean }): boolean {
    const task = this.find(lease.taskId);
    if (!task || isOver(task) || task.fence !== lease.fence || task.worker === undefined) return false;
    if (isStopping && task.queue !== undefined) task.leaving = task.worker;
    this.#end(task, outcome);
    return true;
  }

  cancel(taskId: string): boolean {
    const task = this.find(taskId);
    if (!task || isOver(task)) return false;
    if (task.queue !== undefined) task.leaving = task.worker;
    this.#end(task, 'cancelled');
    return true;
  }

  /** Watches a worker for so long that it counts as stalled; says whether that was news. */
  stall(worker: string): boolean {
    if (!this.workers.has(worker) || this.stalled.has(worker)) return false;
    this.stalled.add(worker);
    for (const task of this.tasks.filter((one) => one.worker === worker)) task.events.push('stalled');
    return true;
  }

  recover(worker: string, toDelayMs: (attempt: number) => number): string[] | undefined {
    if (!this.workers.delete(worker)) return undefined;
    this.stalled.delete(worker);
    for (const lease of this.leases.filter((one) => one.worker === worker)) this.leaveQueue(lease);
    const lost = this.tasks.filter((task) => task.worker === worker);
    const atWork = lost.filter((task) => open(task).length === 0).length;
    for (const task of lost) {
      const isCharged = atWork === 1 || task.losses >= 10;
      if (!task.idempotent) this.#end(task, 'interrupted');
      else if (open(task).length > 0) {
        this.#park(task, false);
        task.runAt = this.now;
      } else if (isCharged && task.attempt >= task.maxAttempts) this.#end(task, 'interrupted');
      else {
        task.countsAsAttempt = isCharged;
        task.losses += 1;
        this.#queue(task, isCharged ? 'worker-lost' : 'suspect', this.now + toDelayMs(task.attempt));
      }
    }
    return lost.map((task) => `${task.taskId} ${task.status}`);
  }

  sweep(expiresBefore: number, endedBefore: number, tombstonesBefore: number): number[] {
    const forgotten = this.tasks.filter((task) => (task.buriedAt ?? Number.POSITIVE_INFINITY) <= tombstonesBefore);
    this.tasks = this.tasks.filter((task) => !forgotten.includes(task));
    for (const { principal } of forgotten) {
      if (!this.tasks.some((task) => task.principal === principal)) this.served.delete(principal);
    }
    const expired = this.tasks.filter((task) => {
      if (task.endedAt === undefined || task.buriedAt !== undefined || task.undelivered > 0) return false;
      const isUp = task.ttlMs !== null && task.endedAt + task.ttlMs <= expiresBefore;
      return isUp || task.endedAt <= endedBefore;
    });
    for (const task of expired) {
      task.buriedAt = this.now;
      task.questions = [];
      task.progress = undefined;
      task.forgottenEvents = task.events.length;
      task.events = [];
    }
    return [expired.length, forgotten.length];
  }

  expire(limit: number): number {
    const late = this.tasks.filter((task) => this.#isLate(task)).sort((a, b) => (a.startBy ?? 0) - (b.startBy ?? 0));
    for (const task of late.slice(0, limit)) this.#end(task, 'error');
    return Math.min(limit, late.length);
  }

  #isLate({ startBy }: ModelTask): boolean {
    return startBy !== undefined && startBy <= this.now;
  }

  #queue(task: ModelTask, reason: string, runAt: number): void {
    task.status = 'queued';
    task.worker = undefined;
    task.runAt = runAt;
    task.events.push(`requeued ${reason}`);
  }

  #park(task: ModelTask, countsAsAttempt: boolean): void {
    task.status = 'input_required';
    task.worker = undefined;
    task.countsAsAttempt = countsAsAttempt;
    task.events.push('parked');
  }

  #end(task: ModelTask, outcome: string): void {
    const statuses: Record<string, string> = { result: 'completed', cancelled: 'cancelled' };
    task.status = statuses[outcome] ?? 'failed';
    task.losses = 0;
    task.outcome = outcome;
    task.endedAt = this.now;
    task.startBy = undefined;
    task.worker = undefined;
    task.questions = task.questions.filter((question) => !question.open);
    task.events.push(`ended ${outcome}`);
  }
}
