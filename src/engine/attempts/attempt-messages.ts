/**
 * Messages that the process of an isolated attempt sends to its worker over a dedicated pipe, one word per line.
 *
 * - begun: the tool starts now. A process that exits before this has done no work.
 * - rests: the attempt waits for an answer or for something outside, and needs no slot.
 * - works: the attempt continues after a wait.
 */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export type AttemptNews = 'begun' | 'rests' | 'works';

/** File descriptor of the pipe: the first number used neither by stdio nor by the gate of the process. */
export const NEWS_FD = 4;

/**
 * Sends a message; called in the attempt's process. If the worker has died, nothing reads the pipe, and that must not
 * fail the attempt.
 */
export function tellNews(fd: number, news: AttemptNews): void {
  try {
    writeSync(fd, `${news}\n`);
  } catch {
    // The recovery of the dead worker ends this process.
  }
}

/** Reads the messages; called in the worker. Resolves when the process has closed its end of the pipe. */
export async function hearNews(pipe: Readable, onNews: (news: AttemptNews) => void): Promise<void> {
  try {
    for await (const line of createInterface({ input: pipe })) onNews(line as AttemptNews);
  } catch {
    // A broken pipe ends the messages, not the attempt.
  }
}
