import type { Store } from '../../../store/contract.ts';
import type { FakeClock } from '../../fake-clock.ts';
import { Scene } from '../scene.ts';

/** One claim about two stores on one place. */
export interface SharedClaim {
  readonly title: string;
  readonly tell: (pair: Pair) => Promise<void>;
}

/** Holds a task, as somebody who is in the middle of changing it; what it returns lets go of it. */
export type HoldTask = (taskId: string) => Promise<() => Promise<void>>;

/** How often two meet: what goes wrong between them goes wrong now and then. */
export const ROUNDS = 25;

/** Two stores on one place. */
export class Pair {
  readonly one: Scene;
  readonly other: Scene;
  readonly holdTask: HoldTask | undefined;

  constructor([one, other]: readonly [Store, Store], clock: FakeClock, holdTask?: HoldTask) {
    this.one = new Scene(one, clock);
    this.other = new Scene(other, clock);
    this.holdTask = holdTask;
  }

  /** Does the same on both at the same moment. */
  async both<T>(act: (scene: Scene) => Promise<T>): Promise<readonly [T, T]> {
    return Promise.all([act(this.one), act(this.other)]);
  }
}
