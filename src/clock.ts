import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';

/** Time as a parameter, so that tests can control it. */
export interface Clock {
  /** Epoch ms. May jump when the machine's clock is set. */
  now(): number;
  /** Ms that never jump; only differences are meaningful. */
  monotonic(): number;
  /**
   * Like `monotonic`, but shared by all processes of the machine, so that they can agree on elapsed time.
   *
   * @default `monotonic`, which is compared with no other process
   */
  steady?(): SteadyReading;
  /** Runs `fn` once after `ms`; returns a function that cancels it. Never keeps the process alive. */
  after(ms: number, fn: () => void): () => void;
}

/** A reading of a clock that cannot be set. */
export interface SteadyReading {
  readonly ms: number;
  /** Identifies the boot: readings of different boots, or of different machines, cannot be compared. */
  readonly boot: string;
}

// setTimeout fires immediately for delays above this.
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The machine's own clock. */
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

/** Returns the steady reading of any clock; a clock without `steady` gets a boot id of its own. */
export function readSteady(clock: Clock): SteadyReading {
  if (clock.steady) return clock.steady();
  const boot = ownBoots.get(clock) ?? `clock-${process.pid}-${Math.random()}`;
  ownBoots.set(clock, boot);
  return { ms: clock.monotonic(), boot };
}

const ownBoots = new WeakMap<Clock, string>();

// Reading the uptime costs as much as a small query, so it is read at this interval and extrapolated in between.
const LOOK_MS = 1000;
// Linux reports the uptime in hundredths of a second.
const GRAIN_MS = 10;

/**
 * Time since boot, sleep included. On Linux it is read from the kernel's own file: the steady clock that libraries
 * report can be changed for a single process, and stops while the machine sleeps. On other platforms it does not.
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
    // Within the resolution of the uptime the extrapolated value is more exact, and continuing from it keeps readings
    // monotonic.
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
    // Unique, so it is never compared with another process: safer than matching readings of another boot.
    return `process-${process.pid}-${Math.random()}`;
  }
}
