/** Finds the prompts that still wait for the user. */
import type { PromptEntry, RequestEntry } from '../wire.ts';

/**
 * Returns the last request of each id that has no response anywhere in the log, oldest first.
 *
 * The order in the file is not reliable: tools that rewrite it and concurrent writers mix it.
 */
export function toPending(entries: Iterable<PromptEntry>): RequestEntry[] {
  const requests = new Map<string, RequestEntry>();
  const answered = new Set<string>();
  for (const entry of entries) {
    if (entry.action === 'response') answered.add(entry.requestId);
    else requests.set(entry.requestId, entry);
  }
  const open = [...requests.values()].filter(({ requestId }) => !answered.has(requestId));
  return open.sort((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0));
}

/** Returns the prompt to show first: the newest of that run, otherwise the newest of all. */
export function toActive(pending: readonly RequestEntry[], runId?: string): RequestEntry | undefined {
  const ofRun = runId === undefined ? undefined : pending.findLast((entry) => entry.runId === runId);
  return ofRun ?? pending.at(-1);
}
