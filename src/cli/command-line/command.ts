import type { Terminal } from '../terminal/terminal.ts';
import type { OptionTable, OptionValues } from './option.ts';

/** The input of one run of a command. */
export interface CommandContext<Options extends OptionTable = OptionTable> {
  /** Positional arguments; their number has been checked. */
  readonly args: readonly string[];
  /** The words after `--`, for commands that accept a command line. */
  readonly rest: readonly string[];
  readonly values: OptionValues<Options>;
  readonly terminal: Terminal;
  /** Returns all commands, for a command that shows or completes them. */
  listCommands(): Promise<readonly Command[]>;
}

/**
 * The whole definition of a command, from which it is parsed, run, completed and shown in help.
 *
 * It is loaded to show help, so it must not import the engine, a store, the host or the SDK: `run` imports those lazily.
 */
export interface Command<Options extends OptionTable = OptionTable> {
  /** The words that invoke the command. */
  readonly name: string;
  readonly summary: string;
  /** As shown in help: `[X]` is optional, and `[X...]` may be repeated. */
  readonly positionals: readonly string[];
  readonly options: Options;
  /** The words after `--` are a server's command line and are not parsed. */
  readonly takesCommandLine?: true;
  /** Returns the exit code. */
  run(context: CommandContext<Options>): Promise<number>;
}
