/** Time as a parameter, so that tests can move it. */
export interface Clock {
  /** Epoch ms. May jump when somebody sets the machine's clock. */
  now(): number;
  /** Ms that never jump; only differences mean anything. */
  monotonic(): number;
  /** Runs `fn` once after `ms`; returns the way to call it off. Never keeps the process alive. */
  after(ms: number, fn: () => void): () => void;
}

// setTimeout fires at once for delays above this.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fn) {
    let timer: NodeJS.Timeout;
    const arm = (left: number) => {
      const part = Math.min(left, LONGEST_TIMER_MS);
      timer = setTimeout(() => (left > part ? arm(left - part) : fn()), Math.max(0, part));
      timer.unref();
    };
    arm(ms);
    return () => clearTimeout(timer);
  },
};
