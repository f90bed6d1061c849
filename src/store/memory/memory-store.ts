import { type Clock, systemClock } from '../../clock.ts';
import { refuseUnknownFields } from '../../invalid-field.ts';
import type { Store } from '../contract.ts';
import { warn } from '../warn.ts';
import { createMemoryArtifacts } from './memory-artifacts.ts';
import { createMemoryDeadlines } from './memory-deadlines.ts';
import { createMemoryHolds } from './memory-holds.ts';
import { createMemoryOutbox } from './memory-outbox.ts';
import { createMemoryPrograms } from './memory-programs.ts';
import { createMemorySessions } from './memory-sessions.ts';
import { MemoryState } from './memory-state.ts';
import { createMemoryTasks } from './tasks/memory-tasks.ts';
import { createMemoryWorkers } from './workers/memory-workers.ts';

/** Options of a memory store. */
export interface MemoryStoreOptions {
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** Receives errors of background work that no caller awaits. @default a warning of the process */
  readonly onError?: (error: unknown) => void;
}

const FIELDS: Readonly<Record<keyof MemoryStoreOptions, true>> = { clock: true, onError: true };

/** Creates a store that exists only in this process: for tests, and for work that may be lost. */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  refuseUnknownFields(options, FIELDS);
  const state = new MemoryState({ clock: options.clock ?? systemClock, onError: options.onError ?? warn });
  return {
    tasks: createMemoryTasks(state),
    artifacts: createMemoryArtifacts(state),
    workers: createMemoryWorkers(state),
    outbox: createMemoryOutbox(state),
    holds: createMemoryHolds(state),
    sessions: createMemorySessions(state),
    deadlines: createMemoryDeadlines(state),
    programs: createMemoryPrograms(state),
    changes: state.feed,
    time: () => state.time(),
    close: async () => state.close(),
  };
}
