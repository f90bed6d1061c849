import { canRetire, decideReserve, toUntil } from '../decide-worker.ts';
import type {
  NewWorker,
  ProcessRef,
  ReserveResult,
  WorkerInfo,
  WorkerRegistry,
  WorkerState,
} from '../worker-contract.ts';
import { toChanged, toFrozen } from './frozen.ts';
import type { MemoryState } from './memory-state.ts';

export function createMemoryWorkers(state: MemoryState): WorkerRegistry {
  return {
    reserve: async (worker) => reserve(state.open(), worker),
    register: async (worker) => register(state.open(), worker),
    renew: async (workerId, leaseMs) => renew(state.open(), workerId, leaseMs),
    retire: async (workerId, options) => retire(state.open(), workerId, options),
    list: async (identity) => workersOf(state.open(), identity),
    track: async (group) => {
      const { groups } = state.open();
      const others = (groups.get(group.workerId) ?? []).filter(({ pid }) => pid !== group.pid);
      groups.set(group.workerId, [...others, toFrozen(group)]);
    },
    untrack: async (workerId, pid) => {
      const { groups } = state.open();
      const left = (groups.get(workerId) ?? []).filter((group) => group.pid !== pid);
      if (left.length > 0) groups.set(workerId, left);
      else groups.delete(workerId);
    },
    groups: async (workerId) => [...(state.open().groups.get(workerId) ?? [])],
  };
}

function workersOf(state: MemoryState, identity: string | undefined): WorkerInfo[] {
  const all = [...state.workers.values()];
  return identity === undefined ? all : all.filter((worker) => worker.identity === identity);
}

function reserve(state: MemoryState, worker: NewWorker): ReserveResult {
  const { holder, drain } = decideReserve(workersOf(state, worker.identity), worker.build);
  if (holder) return { kind: 'exists', worker: holder };
  for (const old of drain) state.workers.set(old.workerId, toChanged(old, { state: 'draining' }));
  state.workers.set(worker.workerId, toInfo(worker, 'starting', state.now));
  return { kind: 'reserved' };
}

function register(state: MemoryState, worker: NewWorker & { readonly process: ProcessRef }): boolean {
  if (worker.kind === 'detached' && state.workers.get(worker.workerId)?.state !== 'starting') return false;
  const info = toInfo(worker, 'ready', state.now);
  state.workers.set(worker.workerId, toChanged(info, { process: toFrozen(worker.process) }));
  return true;
}

function renew(state: MemoryState, workerId: string, leaseMs: number): WorkerState | undefined {
  const worker = state.workers.get(workerId);
  if (worker === undefined) return undefined;
  state.workers.set(workerId, toChanged(worker, { until: toUntil(state.now, leaseMs, worker.until) }));
  return worker.state;
}

function retire(state: MemoryState, workerId: string, options: { readonly ifIdle: boolean }): boolean {
  const worker = state.workers.get(workerId);
  if (worker === undefined) return false;
  const leased = state.tasks.heldBy(workerId).length;
  const queued = state.tasks.queued(worker.identity);
  if (!canRetire({ state: worker.state, leased, queued }, options)) return false;
  state.removeWorker(workerId);
  return true;
}

function toInfo(worker: NewWorker, state: WorkerState, now: number): WorkerInfo {
  const { workerId, identity, kind, build, leaseMs } = worker;
  return toFrozen({ workerId, identity, kind, state, build, until: toUntil(now, leaseMs) });
}
