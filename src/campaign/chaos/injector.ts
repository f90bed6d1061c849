/** Injects faults into a stage, and records each in the journal with the processes it hit. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type JournalBody, steadyNow } from '../../apps/chaos/journal.ts';
import type { Fault, FaultKind, Part, Poison, Target } from './fault.ts';
import { signalProcess } from './marked.ts';
import type { FaultyMode } from './peers/faulty-proxy.ts';
import type { IoFaults } from './peers/shim.ts';
import type { Stage } from './stage.ts';

export interface Injector {
  /** Resolves when the fault is over; true when it hit a target. */
  inject(fault: Fault): Promise<boolean>;
  /** Ends all faults at once. */
  lift(): void;
}

export interface InjectorOptions {
  readonly stage: Stage;
  /** Submits a poison task. */
  readonly onPoison: (poison: Poison) => void;
  /** Picks an entry of a list, using the plan's random numbers. */
  readonly pick: <T>(list: readonly T[]) => T;
  readonly signal: AbortSignal;
}

const HOLD_LOCK = fileURLToPath(new URL('./peers/hold-lock.js', import.meta.url));
const SIGNALS = { kill: 'SIGKILL', term: 'SIGTERM', stop: 'SIGSTOP' } as const;

export function createInjector({ stage, onPoison, pick, signal }: InjectorOptions): Injector {
  const active = new ActiveFaults(stage);
  const wait = (ms: number) => pause(ms, undefined, { signal }).catch(() => undefined);
  const record = (fault: Fault, pids: readonly number[]) => {
    const { kind, target, forMs = 0, poison } = fault;
    const body: JournalBody = { kind: 'fault', fault: kind, target, pids, untilAt: steadyNow() + forMs };
    stage.journal.write({ ...body, ...(poison && { poison }) });
  };

  const signalOne = async (fault: Fault) => {
    const found = stage.pids(fault.target as Part);
    if (found.length === 0) return false;
    const pid = pick(found);
    // Recorded before the signal is sent, so that the journal has the cause before its effects.
    record(fault, [pid]);
    const isSent = signalProcess(pid, SIGNALS[fault.kind as keyof typeof SIGNALS]);
    if (fault.kind !== 'stop') return isSent;
    await wait(fault.forMs ?? 0);
    signalProcess(pid, 'SIGCONT');
    return isSent;
  };
  const change = async (fault: Fault, mode: FaultyMode) => {
    record(fault, []);
    stage.proxy.set(mode);
    await wait(fault.forMs ?? 0);
    stage.proxy.set({ kind: 'pass' });
    return true;
  };
  const disturb = async (fault: Fault, what: IoFaults) => {
    if (!stage.shim) return false;
    record(fault, []);
    const end = active.begin(fault.target, what);
    await wait(fault.forMs ?? 0);
    end();
    return true;
  };

  const acts: Readonly<Record<FaultKind, (fault: Fault) => Promise<boolean>>> = {
    kill: signalOne,
    term: signalOne,
    stop: signalOne,
    drop: (fault) => change(fault, { kind: 'drop' }),
    lose: (fault) => change(fault, { kind: 'lose' }),
    delay: (fault) => change(fault, { kind: 'delay', byMs: fault.byMs ?? 0 }),
    clock: (fault) => disturb(fault, { clockMs: fault.byMs ?? 0 }),
    full: (fault) => disturb(fault, { error: 'ENOSPC' }),
    fail: (fault) => disturb(fault, { error: 'EIO' }),
    slow: (fault) => disturb(fault, { syncMs: fault.byMs ?? 0 }),
    lock: async (fault) => {
      record(fault, []);
      await holdLock(stage.storePath, fault.forMs ?? 0, signal);
      return true;
    },
    rotate: async (fault) => {
      record(fault, []);
      rotateLogs(dirname(stage.storePath));
      return true;
    },
    poison: async (fault) => {
      record(fault, []);
      onPoison(fault.poison ?? 'block');
      return true;
    },
  };
  return {
    inject: (fault) => acts[fault.kind](fault),
    lift() {
      active.endAll();
      stage.proxy.set({ kind: 'pass' });
    },
  };
}

/** Keeps overlapping disk and clock faults; for each process, the latest that has not ended applies. */
class ActiveFaults {
  readonly #stage: Stage;
  readonly #active: { readonly target: Target; readonly what: IoFaults }[] = [];

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  begin(target: Target, what: IoFaults): () => void {
    const one = { target, what };
    this.#active.push(one);
    this.#write();
    return () => {
      const at = this.#active.indexOf(one);
      if (at !== -1) this.#active.splice(at, 1);
      this.#write();
    };
  }

  endAll(): void {
    this.#active.length = 0;
    this.#write();
  }

  #write(): void {
    for (const name of this.#stage.processes.keys()) {
      const applying = this.#active.filter(({ target }) => target === 'disk' || target === name);
      this.#stage.shim?.set(name, Object.assign({}, ...applying.map(({ what }) => what)));
    }
  }
}

async function holdLock(path: string, ms: number, signal: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, [HOLD_LOCK, path, String(ms)], { stdio: 'ignore' });
  const end = () => child.kill('SIGKILL');
  signal.addEventListener('abort', end);
  await once(child, 'exit').catch(() => undefined);
  signal.removeEventListener('abort', end);
}

/** Renames log files while processes write to them, as logrotate does. */
function rotateLogs(dir: string): void {
  for (const name of readdirSync(dir)) {
    if (name.endsWith('.log')) renameSync(join(dir, name), join(dir, `${name}.1`));
  }
}
