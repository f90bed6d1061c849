import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createEngine,
  createMemoryStore,
  type Engine,
  type EngineOptions,
  openSqliteStore,
  type Store,
} from 'holdfast';
import { expect, onTestFinished } from 'vitest';
import { beatHere } from '../beat-here.ts';

export const storeKinds = ['memory', 'sqlite'] as const;
export type StoreKind = (typeof storeKinds)[number];

/** A store, the engines on it and the errors they reported; all of it goes when the test ends. */
export interface Rig {
  readonly store: Store;
  /** Where files may be put; the SQLite store is `tasks.db` in it. */
  readonly folder: string;
  readonly path: string;
  /** Opens and starts an engine. Those on the same store share the identity unless told otherwise. */
  engine(tools: EngineOptions['tools'], options?: Partial<EngineOptions>): Promise<Engine>;
  /** The same, but it only submits and reads. */
  idleEngine(tools: EngineOptions['tools'], options?: Partial<EngineOptions>): Promise<Engine>;
  /** Another connection to the SQLite file, as another process has it. */
  reopen(): Promise<Store>;
  /** What was reported so far; errors that nobody takes fail the test. */
  takeErrors(): unknown[];
}

const FAST = { leaseMs: 2000, superviseMs: 50, abortGraceMs: 500, shutdownGraceMs: 500 };

/** The same for tests that have nothing to do with hearts and leases: those of its engines need no thread each. */
export function openLightRig(kind: StoreKind = 'sqlite'): Promise<Rig> {
  return openRig(kind, { toEngineStore: beatHere, leaseMs: 20_000 });
}

export async function openRig(
  kind: StoreKind = 'sqlite',
  { toEngineStore = (store: Store) => store, leaseMs = FAST.leaseMs } = {},
): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-engine-'));
  const path = join(folder, 'tasks.db');
  const stores: Store[] = [];
  const engines: Engine[] = [];
  let errors: unknown[] = [];
  const reopen = async () => {
    const opened = await openSqliteStore({ path });
    stores.push(opened);
    return opened;
  };
  const store = kind === 'sqlite' ? await reopen() : createMemoryStore();
  const idleEngine: Rig['idleEngine'] = async (tools, options = {}) => {
    const onError = (error: unknown) => void errors.push(error);
    const engine = await createEngine({
      name: 'test',
      identity: 'test',
      store: toEngineStore(store),
      ...FAST,
      leaseMs,
      onError,
      ...(tools && { tools }),
      ...options,
    });
    engines.push(engine);
    return engine;
  };
  onTestFinished(async () => {
    await Promise.all(engines.map((engine) => engine.close()));
    await Promise.all([...stores, ...(kind === 'memory' ? [store] : [])].map((one) => one.close()));
    await rm(folder, { recursive: true, force: true });
    expect(errors, 'errors in the background that no test claimed').toEqual([]);
  });
  return {
    store,
    folder,
    path,
    idleEngine,
    reopen,
    async engine(tools, options) {
      const engine = await idleEngine(tools, options);
      await engine.start();
      return engine;
    },
    takeErrors() {
      const taken = errors;
      errors = [];
      return taken;
    },
  };
}

/** A promise that is resolved by hand. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function createGate(): Gate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Settles when the signal aborts, with its reason. */
export function untilAborted(signal: AbortSignal): Promise<{ code: string; message: string }> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    else signal.addEventListener('abort', () => resolve(signal.reason), { once: true });
  });
}
