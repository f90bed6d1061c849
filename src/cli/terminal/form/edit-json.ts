import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskError } from '../../../errors.ts';
import type { Json } from '../../../task/json.ts';
import { toPlainJson } from '../../../text/plain-text.ts';

/** The user's editor, from `$VISUAL` or `$EDITOR`. */
export function findEditor(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env.VISUAL || env.EDITOR || undefined;
}

/** Lets the user edit a JSON draft in their editor; returns what they saved. Other users cannot read the file. */
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
 * A server chooses the names in a draft, and editors obey modelines such as "vim: …". JSON syntax never has a colon directly
 * after a word character, so such colons can be escaped without changing the meaning.
 */
export function toDraft(draft: Json): string {
  return toPlainJson(draft, 2).replace(/(?<=\w):/g, '\\u003a');
}

/** The variable holds a command line, so it is run by a shell, as other programs do. */
async function run(editor: string, file: string): Promise<void> {
  const isWindows = process.platform === 'win32';
  const child = isWindows
    ? spawn(`${editor} "${file}"`, { stdio: 'inherit', shell: true })
    : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code === 0) return;
  throw new TaskError('COMMAND_NOT_FOUND', `the editor ${JSON.stringify(editor)} ended with ${code}; see $EDITOR`);
}
