import type { KeptNotes } from '../servers/host-children.ts';
import type { AnswerBufferOptions } from '../transports/answer-buffer.ts';
import { KeeperTransport } from './keeper-transport.ts';
import { canKeep, type KeeperLine, type KeeperOptions, reachKeeper } from './start-keeper.ts';

export interface KeptServerOptions extends Omit<KeeperOptions, 'note'>, AnswerBufferOptions {
  /** How others learn of the server. */
  readonly notes: KeptNotes;
  readonly connectMs: number;
}

/** A transport to a server through its keeper; nothing when there can be no keeper, which is told. */
export async function openKeptServer(options: KeptServerOptions): Promise<KeeperTransport | undefined> {
  if (!canKeep()) return undefined;
  const { spec, notes, report, maxAnswerBytes, connectMs } = options;
  const line = await reach(options);
  if (!line) return undefined;
  return new KeeperTransport(line, {
    maxAnswerBytes,
    report,
    connectMs,
    stderr: ('command' in spec && spec.stderr) || 'inherit',
    onRuns: notes.runs,
    onEnded: notes.ends,
  });
}

async function reach(options: KeptServerOptions): Promise<KeeperLine | undefined> {
  try {
    return await reachKeeper({ ...options, note: options.notes.starts });
  } catch (error) {
    // The server is run all the same, as a child of this process.
    options.report(error);
    return undefined;
  }
}

/** A line to the keeper of the calls that go to a server over HTTP; nothing when there can be none, which is told. */
export async function openKeptCalls(options: Omit<KeptServerOptions, 'notes'>): Promise<KeeperTransport | undefined> {
  // No program is started, so nobody must learn of one.
  const link = await openKeptServer({ ...options, notes: { starts: async () => {}, runs: () => {}, ends: () => {} } });
  try {
    await link?.start();
    return link;
  } catch (error) {
    options.report(error);
    await link?.close();
    return undefined;
  }
}
