/**
 * Names the tools that block the main thread for seconds, from the heartbeat thread: the main thread cannot do it, and
 * may never get to it.
 */
import { warnAtOnce } from '../../stderr.ts';
import { readRunningTools } from '../attempts/running-tools.ts';
import type { WatchedTools } from './heartbeat.ts';

/** The shortest block that is reported; a shorter one is a busy moment. */
const REPORT_AFTER_MS = 2000;

/** After a suspension of the whole process, one check finds no pulse although nothing blocks. */
const CHECKS = 2;

interface BlockReporterOptions {
  readonly everyMs: number;
  /** A block of this length costs the worker, so the tool must have been named before. */
  readonly maxBlockMs: number;
  report(tools: readonly string[]): void;
}

/** Returns the function to call at every check, with how long the main thread has been blocked so far. */
export function createBlockReporter(
  watched: WatchedTools,
  { everyMs, maxBlockMs, report }: BlockReporterOptions,
): (blockedMs: number) => void {
  const reportedTools = new Set<string>();
  const reportAfterMs = Math.min(maxBlockMs, Math.max(REPORT_AFTER_MS, CHECKS * everyMs));
  let isReported = false;
  return (blockedMs) => {
    if (blockedMs === 0) isReported = false;
    if (isReported || blockedMs < reportAfterMs) return;
    isReported = true;
    const tools = readRunningTools(watched);
    if (tools.length === 0) return;
    if (tools.some((name) => !reportedTools.has(name)))
      warnAtOnce(toText(tools, { blockedMs, movable: watched.movable }));
    for (const name of tools) reportedTools.add(name);
    report(tools);
  };
}

interface Block {
  readonly blockedMs: number;
  readonly movable: readonly string[];
}

function toText(tools: readonly string[], { blockedMs, movable }: Block): string {
  const [name = '', ...others] = tools;
  const seconds = Math.round(blockedMs / 1000);
  const who = others.length === 0 ? `tool ${name} was` : `the tools ${tools.join(', ')} were`;
  const what = `the event loop is blocked: nothing has run in this process for ${seconds} s while ${who} at work`;
  if (others.length > 0) return `${what}; whichever is there again gets a process of its own, if it may have one`;
  if (movable.includes(name)) return `${what}; its next calls run in processes of their own`;
  return `${what}; isolate: true or 'auto' gives it a process of its own`;
}
