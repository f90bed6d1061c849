import type { Task } from '../../task/record.ts';
import type { ParsedTool } from '../tool.ts';

/**
 * Where an attempt runs.
 *
 * - worker: beside others, in the worker's own process.
 * - apart:  in a process of its own, whose death shows that this task crashed it.
 * - alone:  in the worker's process with nothing else running there, if it cannot or may not have a process of its own.
 */
export type Place = 'worker' | 'apart' | 'alone';

export interface PlacementOptions {
  /** Whether this program can be run again as another process that reaches the store. */
  readonly canIsolate: boolean;
  /**
   * Whether the command line is certain to be this program's own; if not, only tools that ask for it are isolated.
   * @default true
   */
  readonly isWhole?: boolean;
  /**
   * Whether a tool without an `isolate` setting is moved to a process once it has blocked the thread. Only where its
   * program is run again anyway: in an inline worker the tool may share memory with the rest of the program.
   */
  readonly movesByDefault: boolean;
}

/**
 * After how many losses a suspect that cannot run apart runs alone. Not after the first: most lost workers were ended
 * from outside, and while one task runs alone all others wait. A crash with several tasks running counts against none of
 * them.
 */
export const ALONE_FROM_LOSSES = 2;

/** Decides where the attempts of one worker run, and remembers which tools have blocked its thread. */
export class Placement {
  readonly #options: PlacementOptions;
  #isMovingDisabled = false;
  /** Tools that were running during a block, alone or with others. */
  readonly #suspects = new Set<string>();
  readonly #blocking = new Set<string>();

  constructor(options: PlacementOptions) {
    this.#options = options;
  }

  /** Called when the program, run again, does not reach its tools. Only tools with `isolate: true` still try. */
  disableMoving(): void {
    this.#isMovingDisabled = true;
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
    return this.#options.canIsolate && this.#options.isWhole !== false && !this.#isMovingDisabled;
  }

  /** Whether a tool that has blocked the thread is given processes of its own. */
  isMovable({ isolate }: ParsedTool): boolean {
    return this.canMove && (isolate === 'auto' || (isolate === undefined && this.#options.movesByDefault));
  }

  /**
   * Records the tools that ran while the thread was blocked. If there were several, only those that also ran during an
   * earlier block count as blocking.
   */
  noteBlocking(tools: readonly string[]): void {
    const isSure = (name: string) => tools.length === 1 || this.#suspects.has(name);
    for (const name of tools.filter(isSure)) this.#blocking.add(name);
    for (const name of tools) this.#suspects.add(name);
  }
}
