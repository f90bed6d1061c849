import { readFileSync } from 'node:fs';
import { TaskError } from '../../errors.ts';
import { type CodexOptions, parseCodexOptions } from './codex-options.ts';

/** The owner's config in a JSON file. A wrong one names the file, the field and what is legal. */
export function readCodexConfig(file: string, options: { readonly mustExist: boolean }): CodexOptions {
  const text = readText(file, options.mustExist);
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Error('it is not an object');
    parseCodexOptions(value);
    return value as CodexOptions;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TaskError('INVALID_ARGUMENT', `config ${file}: ${why}`, { cause });
  }
}

function readText(file: string, mustExist: boolean): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !mustExist) return undefined;
    throw new TaskError('INVALID_ARGUMENT', `config ${file} cannot be read (${code}); legal is a readable file`, {
      cause,
    });
  }
}
