import type {
  NewWorker,
  ProcessRef,
  ReserveResult,
  Silence,
  SilentLook,
  WorkerInfo,
  WorkerRegistry,
  WorkerState,
} from '../../contracts/worker-contract.ts';
import { canRetire, decideReserve, decideSilence, toSilence, toUntil } from '../../decide-worker.ts';
import { toChanged, toFrozen } from '../frozen.ts';
import type { MemoryState } from '../memory-state.ts';

export function createMemoryWorkers(state: MemoryState): WorkerRegistry {
  return {
    reserve: async (worker) => reserve(state.open(), worker),
    register: async (worker) => register(state.open(), worker),
    renew: async (workerId, leaseMs) => renew(state.open(), workerId, leaseMs),
    retire: async (workerId, options) => retire(state.open(), workerId, options),
    list: async (identity) => workersOf(state.open(), identity),
    leases: async (workerId) =>
      state
        .open()
        .tasks.heldBy(workerId)
        .map(({ task }) => ({ taskId: task.taskId, fence: task.fence, worker: workerId })),
    observe: async (look) => observe(state.open(), look),
    drain: async (workerId, until) => drain(state.open(), workerId, until),
    track: async (group) => {
      const { groups, workers, now } = state.open();
      groups.put(group, workers.has(group.workerId) ? undefined : now);
    },
    untrack: async (workerId, pid) => state.open().groups.remove(workerId, pid),
    groups: async (workerId) => state.open().groups.of(workerId),
    orphanedGroups: async (host) => state.open().groups.orphansOf(host),
  };
}

function workersOf(state: MemoryState, identity: string | undefined): WorkerInfo[] {
  const all = [...state.workers.values()].map((worker) => {
    const silence = state.silences.get(worker.workerId);
    return silence?.until === worker.until ? toChanged(worker, { silence: toSilence(silence) }) : worker;
  });
  return identity === undefined ? all : all.filter((worker) => worker.identity === identity);
}

function reserve(state: MemoryState, worker: NewWorker & { readonly starter?: ProcessRef }): ReserveResult {
  const { holder, drain } = decideReserve(workersOf(state, worker.identity), worker);
  if (holder) return { kind: 'exists', worker: holder };
  for (const old of drain) state.workers.set(old.workerId, toChanged(old, { state: 'draining', starter: undefined }));
  const info = toInfo(worker, { state: 'starting', until: toUntil(state.now, worker.leaseMs) });
  const { starter } = worker;
  state.workers.set(worker.workerId, starter ? toChanged(info, { starter: toFrozen(starter) }) : info);
  return { kind: 'reserved' };
}

function register(state: MemoryState, worker: NewWorker & { readonly process: ProcessRef }): boolean {
  const reserved = worker.kind === 'detached' ? state.workers.get(worker.workerId) : undefined;
  if (worker.kind === 'detached' && reserved?.state !== 'starting') return false;
  // A process that was about to recover the reservation must see that `until` has changed.
  const info = toInfo(worker, { state: 'ready', until: toUntil(state.now, worker.leaseMs, reserved?.until) });
  state.workers.set(worker.workerId, toChanged(info, { process: toFrozen(worker.process) }));
  return true;
}

function observe(state: MemoryState, look: SilentLook): Silence | undefined {
  const { workerId } = look;
  if (state.workers.get(workerId)?.until !== look.until) return undefined;
  const { row, hasStalled } = decideSilence(state.silences.get(workerId), look, state.now);
  state.silences.set(workerId, row);
  if (!hasStalled) return toSilence(row);
  const { silentMs } = row;
  for (const held of state.tasks.heldBy(workerId)) {
    const events = [{ type: 'stalled', worker: workerId, silentMs } as const];
    state.tasks.change(held, {}, { at: state.now, events, bytes: 0 });
  }
  return toSilence(row);
}

function drain(state: MemoryState, workerId: string, until: number): boolean {
  const worker = state.workers.get(workerId);
  if (worker?.until !== until) return false;
  state.workers.set(workerId, toChanged(worker, { state: 'draining', starter: undefined }));
  return true;
}

function renew(state: MemoryState, workerId: string, leaseMs: number): WorkerState | undefined {
  const worker = state.workers.get(workerId);
  if (worker === undefined) return undefined;
  state.workers.set(workerId, toChanged(worker, { until: toUntil(state.now, leaseMs, worker.until) }));
  state.silences.delete(workerId);
  return worker.state;
}

function retire(state: MemoryState, workerId: string, options: { readonly ifIdle: boolean }): boolean {
  const worker = state.workers.get(workerId);
  if (worker === undefined) return false;
  const leased = state.tasks.heldBy(workerId).length;
  const queued = state.tasks.queued(worker.identity);
  if (!canRetire({ state: worker.state, leased, queued }, options)) return false;
  state.removeWorker(workerId);
  state.groups.removeAll(workerId);
  return true;
}

function toInfo(worker: NewWorker, { state, until }: Pick<WorkerInfo, 'state' | 'until'>): WorkerInfo {
  const { workerId, identity, kind, build, leaseMs } = worker;
  return toFrozen({ workerId, identity, kind, state, build, until, leaseMs });
}
