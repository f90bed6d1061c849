import { TaskError } from '../../errors.ts';
import type { ObjectNode } from './config-node.ts';

/**
 * Parses and writes one configuration syntax. Strings are quoted the same way in both syntaxes: JSON escapes are valid in TOML.
 */
export interface ConfigSyntax {
  /** Throws `INVALID_ARGUMENT` that names the file and the line. */
  parse(text: string, path: string): ObjectNode;
  /** Writes a field name. */
  toKey(name: string): string;
  /** Writes a field with its value. */
  toField(name: string, value: string): string;
}

interface Fault {
  readonly path: string;
  readonly text: string;
  readonly offset: number;
  readonly problem: string;
}

/** A file that cannot be parsed is not changed. */
export function syntaxError({ path, text, offset, problem }: Fault): TaskError {
  const line = text.slice(0, offset).split('\n').length;
  return new TaskError('INVALID_ARGUMENT', `${path} cannot be read: line ${line}: ${problem}; it is left as it is`);
}
