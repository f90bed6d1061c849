import type { Task } from '../../task/record.ts';
import type { ParsedTool } from '../tool.ts';

/**
 * Where an attempt runs.
 *
 * - worker: beside others, in the worker's own process.
 * - apart:  in a process of its own, whose death tells whose crash it was.
 * - alone:  in the worker's process with nothing else at work there, where it can or may have no process of its own.
 */
export type Place = 'worker' | 'apart' | 'alone';

export interface PlacementOptions {
  /** Whether this program can be run again, and reach the store from there. */
  readonly canIsolate: boolean;
  /** Whether its command line is surely its own; else only tools that ask for it are isolated. @default true */
  readonly isWhole?: boolean;
  /**
   * Whether a tool that says nothing about it is moved once it has blocked the thread. Only where its program is run again
   * anyway: in an inline worker it may share memory with the rest of the program.
   */
  readonly movesByDefault: boolean;
}

/**
 * From how many losses on a suspect that cannot run apart is alone. Not from the first: most workers that are lost were
 * ended from outside, and while one task is alone all others wait. A crash in company is charged to nobody.
 */
export const ALONE_FROM_LOSSES = 2;

/** Decides where the attempts of one worker run, and remembers which tools have blocked its thread. */
export class Placement {
  readonly #options: PlacementOptions;
  #isGivenUp = false;
  /** At work during a block, together with others. */
  readonly #blamed = new Set<string>();
  readonly #blocking = new Set<string>();

  constructor(options: PlacementOptions) {
    this.#options = options;
  }

  /** The program, run again, does not get to its tools. Those that insist on it may still try. */
  giveUp(): void {
    this.#isGivenUp = true;
  }

  choose(tool: ParsedTool, { losses = 0 }: Pick<Task, 'losses'>): Place {
    if (tool.isolate === false) return 'worker';
    if (tool.isolate === true && this.#options.canIsolate) return 'apart';
    if (losses > 0 && this.canMove) return 'apart';
    if (losses >= ALONE_FROM_LOSSES) return 'alone';
    return this.#blocking.has(tool.name) && this.isMovable(tool) ? 'apart' : 'worker';
  }

  /** Whether attempts can be given processes of their own that their tools did not ask for. */
  get canMove(): boolean {
    return this.#options.canIsolate && this.#options.isWhole !== false && !this.#isGivenUp;
  }

  /** Whether a tool that blocks is given processes of its own. */
  isMovable({ isolate }: ParsedTool): boolean {
    return this.canMove && (isolate === 'auto' || (isolate === undefined && this.#options.movesByDefault));
  }

  /** These tools were at work while the thread was blocked. Of several, those count that were there before, too. */
  noteBlocking(tools: readonly string[]): void {
    const isSure = (name: string) => tools.length === 1 || this.#blamed.has(name);
    for (const name of tools.filter(isSure)) this.#blocking.add(name);
    for (const name of tools) this.#blamed.add(name);
  }
}
