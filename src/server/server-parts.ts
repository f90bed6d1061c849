import type { Clock } from '../clock.ts';
import type { ResultPolicy } from '../dialects/options.ts';
import type { ServerDialect } from '../dialects/server-dialect.ts';
import type { Seal, ServerPort } from '../dialects/server-port.ts';
import type { Engine } from '../engine/engine.ts';
import type { AnsweredCalls } from './calls/answered-calls.ts';
import type { HeadlessClients } from './clients/headless-clients.ts';
import type { Profiles } from './clients/profiles.ts';
import type { ServerNotifications } from './server-notifications.ts';
import type { ServerSettings } from './server-options.ts';
import type { SessionWatch } from './sessions/session-watch.ts';
import type { ParsedServerTool } from './tools/server-tool.ts';

/** What all parts of a server share. */
export interface ServerCore {
  readonly settings: ServerSettings;
  readonly tools: ReadonlyMap<string, ParsedServerTool>;
  /** The server's own notifications to clients. */
  readonly notifications: ServerNotifications;
  readonly clock: Clock;
  /** Opens the engine when first needed: a server of `never` tools opens no store. */
  readonly openEngine: () => Promise<Engine>;
  readonly openSeal: () => Promise<Seal>;
  /** Client profiles, read when first needed. */
  readonly profiles: () => Profiles;
  /** Calls whose answers may not have arrived. */
  readonly answers: AnsweredCalls;
  /** Clients without connections that answer questions for their user. */
  readonly headless: HeadlessClients;
  /** Notifies sessions of tasks that they began through other servers. */
  readonly sessionWatch: SessionWatch;
  /** How `tasks/result` of 2025-11-25 treats an unfinished task. */
  readonly resultPolicy: ResultPolicy;
  report(error: unknown): void;
  /** Warns the owner of something that needs attention. */
  warn(text: string): void;
}

/** Like `ServerCore`, with what a serving process adds. */
export interface ServerParts extends ServerCore {
  /** The server halves of its dialects, in order of precedence. */
  readonly dialects: readonly ServerDialect[];
  /** The server as the dialects see it. */
  readonly port: ServerPort;
}
