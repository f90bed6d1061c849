import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';

/** Time as a parameter, so that tests can move it. */
export interface Clock {
  /** Epoch ms. May jump when somebody sets the machine's clock. */
  now(): number;
  /** Ms that never jump; only differences mean anything. */
  monotonic(): number;
  /**
   * As `monotonic`, but the same for every process on the machine, so that several can agree on the time that passed.
   *
   * @default `monotonic`, which is compared with no other process
   */
  steady?(): SteadyReading;
  /** Runs `fn` once after `ms`; returns the way to call it off. Never keeps the process alive. */
  after(ms: number, fn: () => void): () => void;
}

/** A reading of a clock that nobody can set. */
export interface SteadyReading {
  readonly ms: number;
  /** Readings of two boots of a machine, or of two machines, have nothing to do with each other. */
  readonly boot: string;
}

// setTimeout fires at once for delays above this.
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  steady: createSteady(),
  after(ms, fn) {
    let timer: NodeJS.Timeout;
    const arm = (left: number) => {
      const part = Math.min(left, MAX_TIMER_MS);
      timer = setTimeout(() => (left > part ? arm(left - part) : fn()), Math.max(0, part));
      timer.unref();
    };
    arm(ms);
    return () => clearTimeout(timer);
  },
};

/** The reading of any clock. */
export function readSteady(clock: Clock): SteadyReading {
  if (clock.steady) return clock.steady();
  const boot = ownBoots.get(clock) ?? `clock-${process.pid}-${Math.random()}`;
  ownBoots.set(clock, boot);
  return { ms: clock.monotonic(), boot };
}

const ownBoots = new WeakMap<Clock, string>();

// Reading the uptime costs as much as a small query, so it is read now and then; in between this process counts on.
const LOOK_MS = 1000;
// The uptime of Linux is exact to a hundredth of a second.
const GRAIN_MS = 10;

/**
 * Time since the machine was started, sleep included. On Linux the kernel's own file tells: what libraries say of the
 * steady clock can be changed for a single process, and stands still while the machine sleeps. Elsewhere it does not.
 */
function createSteady(): () => SteadyReading {
  if (process.platform !== 'linux') return createHighResolution();
  let boot: string | undefined;
  let base = 0;
  let lookedAt = Number.NaN;
  return () => {
    boot ??= readBoot();
    const here = performance.now();
    const counted = here - lookedAt;
    if (counted >= 0 && counted < LOOK_MS) return { ms: base + counted, boot };
    const ms = uptime() * 1000;
    // Within the grain what was counted is more exact, and going on from it keeps readings from stepping back.
    base = Math.min(Math.max(ms, base + counted || 0), ms + GRAIN_MS);
    lookedAt = here;
    return { ms: base, boot };
  };
}

function createHighResolution(): () => SteadyReading {
  const read = () => {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1000 + nanoseconds / 1e6;
  };
  let boot: string | undefined;
  return () => {
    const ms = read();
    boot ??= `${process.platform} since minute ${Math.round((Date.now() - ms) / 60_000)}`;
    return { ms, boot };
  };
}

function readBoot(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Compared with no other process: better than with one of another boot.
    return `process-${process.pid}-${Math.random()}`;
  }
}
