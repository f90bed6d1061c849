import type { Clock } from '../clock.ts';
import type { ResultPolicy } from '../dialects/tasks-2025/result-mode.ts';
import type { Engine } from '../engine/engine.ts';
import type { AnsweredCalls } from './answered-calls.ts';
import type { HeadlessClients } from './headless-clients.ts';
import type { Profiles } from './profiles.ts';
import type { Seal } from './seal.ts';
import type { ServerSettings } from './server-options.ts';
import type { ParsedServerTool } from './server-tool.ts';
import type { SessionWatch } from './session-watch.ts';

/** What all parts of a server share. */
export interface ServerParts {
  readonly settings: ServerSettings;
  readonly tools: ReadonlyMap<string, ParsedServerTool>;
  readonly clock: Clock;
  /** The engine, opened when first needed: a server of `never` tools touches no store. */
  readonly openEngine: () => Promise<Engine>;
  readonly openSeal: () => Promise<Seal>;
  /** What is known of clients; read when first needed. */
  readonly profiles: () => Profiles;
  /** Calls whose answers may not have arrived. */
  readonly answers: AnsweredCalls;
  /** Clients without connections that answer for their user. */
  readonly headless: HeadlessClients;
  /** Tasks that sessions have begun through other servers. */
  readonly sessionWatch: SessionWatch;
  /** How `tasks/result` of 2025-11-25 treats a task that has not ended. */
  readonly resultPolicy: ResultPolicy;
  report(error: unknown): void;
  /** Tells the owner something that needs a look. */
  warn(text: string): void;
}
