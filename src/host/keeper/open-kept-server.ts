import { TaskError, toTaskError } from '../../errors.ts';
import type { KeptNotes } from '../servers/host-children.ts';
import type { AnswerBufferOptions } from '../transports/answer-buffer.ts';
import { KeeperTransport } from './keeper-transport.ts';
import { findObstacle, type KeeperLine, type KeeperOptions, type NoServer, reachKeeper } from './start-keeper.ts';

export interface KeptServerOptions extends KeeperOptions, AnswerBufferOptions {
  readonly connectMs: number;
  /** Somebody asked for a keeper: that there can be none on this system is worth a word. */
  readonly isAsked: boolean;
}

/** A transport to a server through its keeper; nothing when there can be no keeper, which is told. */
export async function openKeptServer(options: KeptServerOptions): Promise<KeeperTransport | undefined> {
  const obstacle = findObstacle();
  if (obstacle !== undefined) {
    if (options.isAsked || process.platform !== 'win32') tell(options, new TaskError('SPAWN_FAILED', obstacle));
    return undefined;
  }
  const { spec, notes, report, maxAnswerBytes, connectMs } = options;
  const line = await reach(options);
  if (!line) return undefined;
  if ('failure' in line) throw line.failure;
  return new KeeperTransport(line, {
    maxAnswerBytes,
    report,
    connectMs,
    stderr: ('command' in spec && spec.stderr) || 'inherit',
    onRuns: notes.runs,
    onEnded: notes.ends,
  });
}

async function reach(options: KeptServerOptions): Promise<KeeperLine | NoServer | undefined> {
  try {
    return await reachKeeper(options);
  } catch (error) {
    tell(options, error);
    return undefined;
  }
}

/** The server is used all the same, by this process alone. */
function tell({ name, report }: KeptServerOptions, cause: unknown): void {
  const { code } = toTaskError(cause);
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = `server ${name} has no keeper, so calls that are cut off with this process are lost: ${why}`;
  report(new TaskError(code === 'INTERNAL' ? 'SPAWN_FAILED' : code, message, { cause }));
}

/** A line to the keeper of the calls that go to a server over HTTP; nothing when there can be none, which is told. */
export async function openKeptCalls(options: Omit<KeptServerOptions, 'notes'>): Promise<KeeperTransport | undefined> {
  // No program is started, so nobody must learn of one.
  const link = await openKeptServer({ ...options, notes: NO_NOTES });
  try {
    await link?.start();
    return link;
  } catch (error) {
    tell({ ...options, notes: NO_NOTES }, error);
    await link?.close();
    return undefined;
  }
}

const NO_NOTES: KeptNotes = { starts: async () => {}, keeps: async () => {}, runs: () => {}, ends: () => {} };
