import type { Audit } from '../../engine/audit.ts';
import type { TaskClient } from '../../engine/task-client.ts';
import type { Store } from '../../store/contract.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { OptionValues } from './options.ts';

export interface CommandContext {
  readonly store: Store;
  readonly access: TaskClient;
  /** Where it is kept who does what, if it is. */
  readonly audit: Audit | undefined;
  /** Positional arguments, already counted. */
  readonly args: readonly string[];
  readonly values: OptionValues;
  readonly terminal: Terminal;
}

/** One command on an open store. */
export interface Command {
  /** A command that only looks never migrates the store under the servers that run on it. */
  readonly readOnly: boolean;
  /** Returns the exit code. */
  run(context: CommandContext): Promise<number>;
}
