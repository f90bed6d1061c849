import { TaskError, toTaskError } from '../../errors.ts';
import type { KeptNotes } from '../servers/host-children.ts';
import type { AnswerBufferOptions } from '../transports/answer-buffer.ts';
import { KEEPER_ENDED_CODE, KeeperTransport } from './keeper-transport.ts';
import {
  connectOrStartKeeper,
  findUnsupportedReason,
  type KeeperConnection,
  type KeeperOptions,
  type ServerStartFailure,
} from './start-keeper.ts';

export interface KeptServerOptions extends KeeperOptions, AnswerBufferOptions {
  readonly connectMs: number;
  /** Whether the user explicitly asked for a keeper: then it is reported even on Windows that there can be none. */
  readonly isRequested: boolean;
}

const MAX_ATTEMPTS = 5;

/** Opens a transport to a server through its keeper; `undefined` when there can be no keeper, which is reported. */
export async function openKeptServer(options: KeptServerOptions): Promise<KeeperTransport | undefined> {
  const unsupported = findUnsupportedReason();
  if (unsupported !== undefined) {
    if (options.isRequested || process.platform !== 'win32')
      reportNoKeeper(options, new TaskError('SPAWN_FAILED', unsupported));
    return undefined;
  }
  for (let tries = 1; ; tries++) {
    const connection = await tryConnect(options);
    if (!connection) return undefined;
    if ('failure' in connection) throw connection.failure;
    const transport = toTransport(connection, options);
    try {
      await transport.start();
      return transport;
    } catch (error) {
      await transport.close();
      // The keeper was just ending: the next attempt starts another.
      if (tries === MAX_ATTEMPTS || (error as { code?: unknown }).code !== KEEPER_ENDED_CODE) throw error;
    }
  }
}

function toTransport(connection: KeeperConnection, { spec, notes, ...options }: KeptServerOptions): KeeperTransport {
  const { maxAnswerBytes, report, connectMs } = options;
  const stderr = ('command' in spec && spec.stderr) || 'inherit';
  return new KeeperTransport(connection, {
    maxAnswerBytes,
    report,
    connectMs,
    stderr,
    onRuns: notes.runs,
    onEnded: notes.ends,
  });
}

async function tryConnect(options: KeptServerOptions): Promise<KeeperConnection | ServerStartFailure | undefined> {
  try {
    return await connectOrStartKeeper(options);
  } catch (error) {
    reportNoKeeper(options, error);
    return undefined;
  }
}

/** Reports that there is no keeper; the server is still used, by this process alone. */
function reportNoKeeper({ name, report }: KeptServerOptions, cause: unknown): void {
  const { code } = toTaskError(cause);
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = `server ${name} has no keeper, so calls that are cut off with this process are lost: ${why}`;
  report(new TaskError(code === 'INTERNAL' ? 'SPAWN_FAILED' : code, message, { cause }));
}

/** Opens a connection to the keeper for calls over HTTP; `undefined` when there can be none, which is reported. */
export async function openKeptCalls(given: Omit<KeptServerOptions, 'notes'>): Promise<KeeperTransport | undefined> {
  // No program is started, so there is nothing to note.
  const options = { ...given, notes: NO_NOTES };
  try {
    return await openKeptServer(options);
  } catch (error) {
    reportNoKeeper(options, error);
    return undefined;
  }
}

const NO_NOTES: KeptNotes = { starts: async () => {}, keeps: async () => {}, runs: () => {}, ends: () => {} };
