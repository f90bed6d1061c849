import { setMaxListeners } from 'node:events';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type WaitOptions, waitForResult } from '../../../src/dialects/ui-prompts/log/log-reader.ts';
import { LEGACY_PREFIX, LOG_NAME, type RequestEntry } from '../../../src/dialects/ui-prompts/wire.ts';

/** A log in a folder that goes with the test. */
export interface TestLog {
  readonly folder: string;
  readonly path: string;
  append(...texts: (string | Buffer)[]): Promise<void>;
  /** Waits as a host would; the wait ends with the test. */
  wait(taskId: string, options?: Partial<WaitOptions>): Promise<RequestEntry>;
  /** The text of a wait. */
  text(taskId: string, options?: Partial<WaitOptions>): Promise<unknown>;
}

export async function openLog(): Promise<TestLog> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-prompts-'));
  const path = join(folder, LOG_NAME);
  const end = new AbortController();
  setMaxListeners(0, end.signal);
  onTestFinished(async () => {
    end.abort();
    await rm(folder, { recursive: true, force: true });
  });
  const begin = (taskId: string, options: Partial<WaitOptions> = {}) => {
    const signal = options.signal ? AbortSignal.any([options.signal, end.signal]) : end.signal;
    const found = waitForResult(path, {
      taskId,
      requestIdPrefix: LEGACY_PREFIX,
      pollIntervalMs: 200,
      ...options,
      signal,
    });
    // A wait that a test leaves open ends with it, and nobody asks why.
    found.catch(() => {});
    return found;
  };
  return {
    folder,
    path,
    append: async (...texts) => {
      for (const text of texts) await appendFile(path, text);
    },
    wait: begin,
    text: async (taskId, options) => (await begin(taskId, options)).prompt.markdown,
  };
}

/** A result as an app writes it. */
export function toResultLine(requestId: string, markdown: string, prompt: object = {}): string {
  const entry = { ts: '2030-01-01T00:00:00.000Z', type: 'ui_prompt', action: 'request', requestId };
  return `${JSON.stringify({ ...entry, prompt: { kind: 'result', markdown, ...prompt } })}\n`;
}

/** A line that is nobody's result. */
export function toOtherLine(number: number, padding = 0): string {
  return toResultLine(`other-${number}`, 'x'.repeat(padding));
}
