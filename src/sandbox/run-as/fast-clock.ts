import { type Clock, systemClock } from '../../clock.ts';
import type { SceneClock } from './scene.ts';

export interface FastClock extends Clock, SceneClock {
  readonly speed: number;
}

/** Creates a clock that runs `speed` times as fast as real time. */
export function createFastClock(speed: number): FastClock {
  const [startedAt, began] = [systemClock.now(), systemClock.monotonic()];
  const elapsed = () => (systemClock.monotonic() - began) * speed;
  const after: Clock['after'] = (ms, fn) => systemClock.after(ms / speed, fn);
  return {
    speed,
    elapsed,
    now: () => startedAt + elapsed(),
    monotonic: elapsed,
    after,
    elapse: (ms) => new Promise((resolve) => void after(ms, resolve)),
  };
}

/** A fast clock for a server, which distinguishes people from programs by how fast they answer: that is measured in real time. */
export function withRealAnswers(clock: Clock): Clock {
  const { steady } = systemClock;
  return { ...clock, ...(steady && { steady }) };
}
