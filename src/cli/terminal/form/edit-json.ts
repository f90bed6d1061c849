import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskError } from '../../../errors.ts';
import type { Json } from '../../../task/json.ts';
import { toPlainJson } from '../../../text/plain-text.ts';

/** The user's editor, as other programs find it. */
export function findEditor(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env.VISUAL || env.EDITOR || undefined;
}

/** Has the user write JSON in their editor, over a draft; returns what they saved. Nobody else can read the file. */
export async function editJson(draft: Json, editor: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-answer-'));
  try {
    const file = join(folder, 'answer.json');
    await writeFile(file, `${toDraft(draft)}\n`, { mode: 0o600 });
    await run(editor, file);
    return await readFile(file, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The names in a draft are a server's to choose, and editors obey lines such as "vim: …". A colon after a word never
 * belongs to the build of JSON, so it can be written as an escape, which means the same.
 */
export function toDraft(draft: Json): string {
  return toPlainJson(draft, 2).replace(/(?<=\w):/g, '\\u003a');
}

/** What the variable holds is a command line, so a shell reads it, as other programs have it read. */
async function run(editor: string, file: string): Promise<void> {
  const isWindows = process.platform === 'win32';
  const child = isWindows
    ? spawn(`${editor} "${file}"`, { stdio: 'inherit', shell: true })
    : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code === 0) return;
  throw new TaskError('COMMAND_NOT_FOUND', `the editor ${JSON.stringify(editor)} ended with ${code}; see $EDITOR`);
}
