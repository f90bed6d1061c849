/**
 * What the process of an isolated attempt tells its worker, over a pipe of their own: one word per line.
 *
 * - begun: the tool begins now. A process that ends before has done nothing.
 * - rests: it waits for an answer or for something outside, and needs no slot.
 * - works: it goes on.
 */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export type AttemptNews = 'begun' | 'rests' | 'works';

/** The first number that neither stdio nor the gate of the process takes. */
export const NEWS_FD = 4;

/** For the process. A worker that has died hears nothing, and that is no reason to fail. */
export function tellNews(fd: number, news: AttemptNews): void {
  try {
    writeSync(fd, `${news}\n`);
  } catch {
    // Whoever recovers the worker ends this process.
  }
}

/** For the worker. Resolves when the process has closed its end. */
export async function hearNews(pipe: Readable, onNews: (news: AttemptNews) => void): Promise<void> {
  try {
    for await (const line of createInterface({ input: pipe })) onNews(line as AttemptNews);
  } catch {
    // A broken pipe ends the news, not the attempt.
  }
}
