import { closeSync, constants, readFileSync, type Stats } from 'node:fs';
import { findForeignWriter, openPlainFileSync } from '../../app-kit/index.ts';
import { TaskError } from '../../index.ts';
import { type CodexOptions, parseCodexOptions } from './codex-options.ts';

/**
 * Reads the owner's config from a JSON file. An error names the file, the field and what is expected. A file that another user of
 * the machine can write is refused, because it says how Codex is sandboxed.
 */
export function readCodexConfig(file: string, options: { readonly mustExist: boolean }): CodexOptions {
  const text = readText(file, options.mustExist);
  if (text === undefined) return {};
  const value = parseJson(file, text);
  parseCodexOptions(value, { of: `config ${file}`, whole: 'the config' });
  return value as CodexOptions;
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TaskError('INVALID_ARGUMENT', `config ${file}: ${(cause as Error).message}`, { cause });
  }
}

function readText(file: string, mustExist: boolean): string | undefined {
  try {
    // The owner is checked on the opened file: between two lookups of a path, another file could have replaced it.
    const opened = openPlainFileSync(file, { flags: constants.O_RDONLY, allowLink: true });
    try {
      checkOwner(file, opened.stats);
      return readFileSync(opened.file, 'utf8');
    } finally {
      closeSync(opened.file);
    }
  } catch (cause) {
    if (cause instanceof TaskError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !mustExist) return undefined;
    throw new TaskError(
      'INVALID_ARGUMENT',
      `config ${file} cannot be read (${code ?? 'no plain file'}); expected a readable file`,
      {
        cause,
      },
    );
  }
}

function checkOwner(file: string, stats: Stats): void {
  const why = findForeignWriter(stats);
  if (why === undefined) return;
  throw new TaskError('INVALID_ARGUMENT', `config ${file} ${why}; expected a file that nobody else can write`);
}
