/** Builds the result of a run that ended. */

import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cutText, makeDirectory } from '../../../app-kit/index.ts';
import { TaskError } from '../../../index.ts';
import type { CodexEnd } from './run-codex.ts';

export interface ResultPlace {
  readonly taskId: string;
  readonly dataDir: string;
  readonly maxTextBytes: number;
}

const SILENT = 'Codex has finished without a message.';

/** Returns the answer as content; throws when the run failed and there is none. */
export async function toRunResult(end: CodexEnd, place: ResultPlace) {
  const { code, signal, message, failure } = end;
  if (signal !== null) throw runError(`codex exited with signal ${signal}`, failure);
  if (code !== 0) throw runError(`codex exited with code ${code}`, failure);
  if (message === undefined && failure !== undefined) throw runError('codex failed', failure);
  const text = message?.trim() ? message : SILENT;
  const bytes = Buffer.byteLength(text);
  if (bytes <= place.maxTextBytes) return { content: [{ type: 'text', text }] };
  return spill(text, bytes, place);
}

/** For a text that is too long for a result: its beginning, and a link to the whole text in a file. */
async function spill(text: string, bytes: number, { taskId, dataDir, maxTextBytes }: ResultPlace) {
  const file = join(dataDir, 'outputs', `${taskId}.md`);
  await writeWhole(file, text);
  // One UTF-16 unit takes at most three bytes in UTF-8.
  const beginning = cutText(text, Math.floor(maxTextBytes / 3));
  const note = `\n\n… (the beginning of ${bytes} bytes; the whole text is in ${file})`;
  const link = {
    type: 'resource_link',
    uri: pathToFileURL(file).href,
    name: `${taskId}.md`,
    mimeType: 'text/markdown',
    size: bytes,
  };
  return { content: [{ type: 'text', text: `${beginning}${note}` }, link] };
}

async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  await makeDirectory(dirname(file));
  try {
    {
      await using handle = await open(draft, 'wx', 0o600);
      await handle.writeFile(text);
      await handle.sync();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function runError(what: string, why: string | undefined): TaskError {
  return new TaskError('TOOL_FAILED', why === undefined ? what : `${what}: ${why}`);
}
