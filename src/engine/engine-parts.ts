import type { Store } from '../store/contract.ts';
import type { ChangeRouter } from './change-router.ts';
import type { EngineSettings } from './engine-options.ts';
import type { HoldReleases } from './holds/hold-releases.ts';

/** What all parts of an engine share. */
export interface EngineParts extends EngineSettings {
  readonly identity: string;
  /** Like `identity`, but equal for programs that differ only in their environment. */
  readonly base: string;
  readonly store: Store;
  readonly router: ChangeRouter;
  /** Holds that have ended, kept until the store has recorded their end. */
  readonly releases: HoldReleases;
}
