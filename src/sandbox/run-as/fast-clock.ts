import { type Clock, systemClock } from '../../clock.ts';
import type { SceneClock } from './scene.ts';

export interface FastClock extends Clock, SceneClock {
  readonly speed: number;
}

/** A clock on which everything takes a fraction of its time, for whoever goes by it. */
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

/** The same for a server, which tells people from programs by how fast they answer: those take their own time. */
export function withRealAnswers(clock: Clock): Clock {
  const { steady } = systemClock;
  return { ...clock, ...(steady && { steady }) };
}
