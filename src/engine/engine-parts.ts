import type { Store } from '../store/contract.ts';
import type { ChangeRouter } from './change-router.ts';
import type { EngineSettings } from './engine-options.ts';
import type { HoldReleases } from './holds/hold-releases.ts';

/** What all parts of an engine share. */
export interface EngineParts extends EngineSettings {
  readonly identity: string;
  /** The same for programs that differ in their environment only. */
  readonly base: string;
  readonly store: Store;
  readonly router: ChangeRouter;
  /** Waits for held calls that have ended, until the store knows. */
  readonly releases: HoldReleases;
}
