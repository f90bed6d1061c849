import type { Terminal } from '../terminal/terminal.ts';
import type { OptionTable, OptionValues } from './option.ts';

/** What a command is run with. */
export interface CommandContext<Options extends OptionTable = OptionTable> {
  /** Positional arguments, already counted. */
  readonly args: readonly string[];
  /** What stood after `--`, for commands that take a command line. */
  readonly rest: readonly string[];
  readonly values: OptionValues<Options>;
  readonly terminal: Terminal;
  /** All commands, for one that tells of them. */
  listCommands(): Promise<readonly Command[]>;
}

/**
 * All there is to know of a command: parsing, help, completion and running read it here.
 *
 * It is loaded to show help, so it imports no engine, store, host or SDK: `run` imports what does the work.
 */
export interface Command<Options extends OptionTable = OptionTable> {
  /** The words that call it. */
  readonly name: string;
  readonly summary: string;
  /** As help shows them; `[X]` may be left out, and `[X...]` may be given several times. */
  readonly positionals: readonly string[];
  readonly options: Options;
  /** What stands after `--` is the command line of a server, and not read. */
  readonly takesCommandLine?: true;
  /** Returns the exit code. */
  run(context: CommandContext<Options>): Promise<number>;
}
