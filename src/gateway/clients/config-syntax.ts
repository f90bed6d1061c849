import { TaskError } from '../../errors.ts';
import type { ObjectNode } from './config-node.ts';

/** How a configuration file is written. Texts are quoted alike in both: the escapes of JSON are those of TOML. */
export interface ConfigSyntax {
  /** Throws `INVALID_ARGUMENT` that names the file and the line. */
  parse(text: string, path: string): ObjectNode;
  /** The name of a field, written out. */
  toKey(name: string): string;
  /** A field, written out. */
  toField(name: string, value: string): string;
}

interface Fault {
  readonly path: string;
  readonly text: string;
  readonly offset: number;
  readonly problem: string;
}

/** Nothing is changed in a file that cannot be understood. */
export function syntaxError({ path, text, offset, problem }: Fault): TaskError {
  const line = text.slice(0, offset).split('\n').length;
  return new TaskError('INVALID_ARGUMENT', `${path} cannot be read: line ${line}: ${problem}; it is left as it is`);
}
