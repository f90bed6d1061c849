import type { Store } from '../../../store/contract.ts';
import type { FakeClock } from '../../fake-clock.ts';
import { Scene } from '../scene.ts';

/** One requirement for two stores on the same database. */
export interface SharedContractCase {
  readonly title: string;
  readonly run: (pair: Pair) => Promise<void>;
}

/** Locks a task, like a transaction that is changing it. Returns a function that releases the lock. */
export type HoldTask = (taskId: string) => Promise<() => Promise<void>>;

/** How often a race is repeated, because races fail only now and then. */
export const ROUNDS = 25;

/** Two stores on the same database. */
export class Pair {
  readonly one: Scene;
  readonly other: Scene;
  readonly holdTask: HoldTask | undefined;

  constructor([one, other]: readonly [Store, Store], clock: FakeClock, holdTask?: HoldTask) {
    this.one = new Scene(one, clock);
    this.other = new Scene(other, clock);
    this.holdTask = holdTask;
  }

  /** Runs the same action on both stores at once. */
  async both<T>(act: (scene: Scene) => Promise<T>): Promise<readonly [T, T]> {
    return Promise.all([act(this.one), act(this.other)]);
  }
}
