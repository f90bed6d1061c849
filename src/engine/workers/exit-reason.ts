/**
 * How a detached worker ended when no process ended it.
 *
 * Its process reports that itself, in one line of its log, while it goes down; the process that recovers its tasks reads the line
 * there. Clients are shown only what this file can have written: the kind of end, and names of tools. The log itself, in
 * which tools print what they like, is for the owner.
 */
import { warnAtOnce } from '../../stderr.ts';
import type { WorkerInfo } from '../../store/contracts/worker-contract.ts';
import { readLogEnd, toLogPath } from './worker-log.ts';

/** What is known about the end of a worker. */
export interface ExitReason {
  /** May be shown to clients; `undefined` when the process could not report anything. */
  readonly reason: string | undefined;
  /** For the owner only: the path of the log, and its last lines. */
  readonly details: string;
}

interface ExitingWorker {
  readonly workerId: string;
  /** Returns the names of the tools that are running now. */
  listTools(): readonly string[];
  /** Whether the process exits on purpose. */
  isExiting(): boolean;
}

/** Makes this process report how it ends, unless it exits on purpose. It ends all the same. */
export function reportExitReason({ workerId, listTools, isExiting }: ExitingWorker): void {
  let isReported = false;
  const report = (what: string) => {
    if (isReported || isExiting()) return;
    isReported = true;
    warnAtOnce(`worker ${workerId} ends: ${what}${toWhile(listTools())}`);
  };
  process.on('uncaughtExceptionMonitor', (_error, origin) =>
    report(origin === 'unhandledRejection' ? 'unhandled rejection' : 'uncaught error'),
  );
  process.on('exit', (code) => report(`process.exit(${code})`));
}

function toWhile(tools: readonly string[]): string {
  const names = tools.filter((name) => /^[\w./-]+$/.test(name));
  if (names.length === 0) return '';
  return ` while ${names.length === 1 ? 'tool' : 'one of the tools'} ${names.join(', ')} was at work`;
}

const LINE =
  /^holdfast: worker (\S+) ends: ((?:unhandled rejection|uncaught error|process\.exit\(-?\d+\))(?: while (?:tool|one of the tools) [\w./-]+(?:, [\w./-]+)* was at work)?)$/;

/** Returns what a dead worker has left in its log; `undefined` when there is none. */
export function findExitReason(
  directory: string | undefined,
  { workerId, identity, kind }: Pick<WorkerInfo, 'workerId' | 'identity' | 'kind'>,
): ExitReason | undefined {
  if (directory === undefined || kind !== 'detached') return undefined;
  const path = toLogPath(directory, identity);
  const lines = readLogEnd(path);
  if (lines === undefined) return undefined;
  const found = lines.map((line) => LINE.exec(line)).findLast((match) => match?.[1] === workerId);
  return { reason: found?.[2], details: [`log: ${path}`, ...lines].join('\n') };
}
