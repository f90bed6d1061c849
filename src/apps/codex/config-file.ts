import { closeSync, constants, readFileSync, type Stats } from 'node:fs';
import { findForeignWriter, openPlainFileSync } from '../../app-kit/index.ts';
import { TaskError } from '../../index.ts';
import { type CodexOptions, parseCodexOptions } from './codex-options.ts';

/**
 * The owner's config in a JSON file. A wrong one names the file, the field and what is expected; one that another user of the
 * machine can write is refused, because it says how Codex is sandboxed.
 */
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
    // The owner is asked of what was opened: between two looks at a path another file may have taken its place.
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
