import type { Clock } from '../clock.ts';
import type { ResultPolicy } from '../dialects/options.ts';
import type { ServerDialect } from '../dialects/server-dialect.ts';
import type { Seal, ServerPort } from '../dialects/server-port.ts';
import type { Engine } from '../engine/engine.ts';
import type { AnsweredCalls } from './calls/answered-calls.ts';
import type { HeadlessClients } from './clients/headless-clients.ts';
import type { Profiles } from './clients/profiles.ts';
import type { News } from './news.ts';
import type { ServerSettings } from './server-options.ts';
import type { SessionWatch } from './sessions/session-watch.ts';
import type { ParsedServerTool } from './tools/server-tool.ts';

/** What all parts of a server share. */
export interface ServerCore {
  readonly settings: ServerSettings;
  readonly tools: ReadonlyMap<string, ParsedServerTool>;
  /** What clients are told without having asked. */
  readonly news: News;
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

/** The same for one that serves. */
export interface ServerParts extends ServerCore {
  /** The server halves of its dialects, in the order in which they are asked. */
  readonly dialects: readonly ServerDialect[];
  /** What the dialects see of it. */
  readonly port: ServerPort;
}
