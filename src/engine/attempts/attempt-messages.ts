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

export type AttemptMessage = 'begun' | 'rests' | 'works';

/** File descriptor of the pipe: the first number used neither by stdio nor by the gate of the process. */
export const MESSAGE_FD = 4;

/**
 * Sends a message; called in the attempt's process. If the worker has died, nothing reads the pipe, and that must not
 * fail the attempt.
 */
export function sendAttemptMessage(fd: number, message: AttemptMessage): void {
  try {
    writeSync(fd, `${message}\n`);
  } catch {
    // The recovery of the dead worker ends this process.
  }
}

/** Reads the messages; called in the worker. Resolves when the process has closed its end of the pipe. */
export async function readAttemptMessages(pipe: Readable, onMessage: (message: AttemptMessage) => void): Promise<void> {
  try {
    for await (const line of createInterface({ input: pipe })) onMessage(line as AttemptMessage);
  } catch {
    // A broken pipe ends the messages, not the attempt.
  }
}
