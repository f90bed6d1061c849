/** The entry point (door) for programs around a server: options, shared files, file locks, a database, texts for people. */

export { type LineOutline, LineReader, type LineReaderOptions } from '../dialects/shared/bytes/line-reader.ts';
export { type OutcomeStatus, type OutcomeText, toOutcomeText } from '../dialects/shared/outcomes/outcome-text.ts';
export { type ConfineOptions, resolveInside } from '../dialects/ui-prompts/confine.ts';
export { isObject } from '../is-object.ts';
export { makeDirectorySync } from '../make-directory-sync.ts';
export type { OptionsPlace, RefusalParams } from '../options/issue-text.ts';
export { type OptionsParser, type OptionsShape, optionsParser } from '../options/options-parser.ts';
export { type LockOptions, takeLockFile, withFileLock } from '../process/file-lock.ts';
export { findForeignWriter } from '../process/file-owner.ts';
export { type CommandPlace, findCommand, listFolders } from '../process/find-command.ts';
export { isInside } from '../process/inside.ts';
export { makeDirectory } from '../process/make-directory.ts';
export { openPlainFileSync, type PlainFileOptions } from '../process/plain-file.ts';
export type { SqliteValue } from '../sqlite/driver.ts';
export type { Schema } from '../sqlite/migrate.ts';
export { reportToStderr, warn } from '../stderr.ts';
export { cutText } from '../text/cut-text.ts';
export {
  openSqliteFile,
  type SqliteFile,
  type SqliteFileOptions,
  type SqliteReader,
  type SqliteTransaction,
} from './sqlite-file.ts';
