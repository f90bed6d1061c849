/** The table of all faults that a campaign can inject. */

import { PARTS, type Part, POISONS, type Poison, type Target } from '../../apps/chaos/targets.ts';

export { PARTS, type Part, POISONS, type Poison, type Target };

/** One fault, at a time relative to the start of the plan. */
export interface Fault {
  readonly atMs: number;
  readonly kind: FaultKind;
  readonly target: Target;
  /** How long the fault lasts; absent for an instantaneous one. */
  readonly forMs?: number;
  /** By how much: the jump of a clock (signed), the delay of a network, the duration of one sync of a slow disk. */
  readonly byMs?: number;
  readonly poison?: Poison;
}

type Range = readonly [from: number, to: number];

interface FaultSpec {
  readonly says: string;
  /** Its frequency relative to the other faults. */
  readonly weight: number;
  readonly targets: readonly Target[];
  readonly forMs?: Range;
  readonly byMs?: Range;
  /** Injected by a library that is loaded into the processes; requires Linux with a C compiler. */
  readonly needsShim?: true;
  /** Only with our own workload, because it needs our tools or our store. */
  readonly ownOnly?: true;
}

export const FAULTS = {
  kill: { says: 'kill -9', weight: 30, targets: PARTS },
  term: { says: 'SIGTERM', weight: 4, targets: PARTS },
  // Longer than the lease of the workload's server, so that another process must take over.
  stop: { says: 'SIGSTOP beyond the lease, then SIGCONT', weight: 4, targets: PARTS, forMs: [5000, 9000] },
  drop: { says: 'connections cut and refused', weight: 4, targets: ['network'], forMs: [100, 2000] },
  delay: { says: 'bytes delayed', weight: 2, targets: ['network'], forMs: [500, 4000], byMs: [50, 800] },
  lose: { says: 'responses lost on the way', weight: 4, targets: ['network'], forMs: [100, 1500] },
  clock: {
    says: "a process's clock set forward or back",
    weight: 2,
    targets: ['server', 'submitter', 'host'],
    forMs: [1000, 8000],
    byMs: [-10_800_000, 10_800_000],
    needsShim: true,
  },
  full: { says: 'the disk of the store is full', weight: 1, targets: ['disk'], forMs: [300, 3000], needsShim: true },
  fail: {
    says: 'writes to the store fail with EIO',
    weight: 1,
    targets: ['disk'],
    forMs: [300, 8000],
    needsShim: true,
  },
  slow: {
    says: 'each sync of the store takes long',
    weight: 1,
    targets: ['disk'],
    forMs: [1000, 6000],
    byMs: [50, 300],
    needsShim: true,
  },
  lock: { says: 'a stranger holds the write lock', weight: 2, targets: ['store'], forMs: [500, 9000], ownOnly: true },
  rotate: { says: 'log files are moved away', weight: 1, targets: ['store'], ownOnly: true },
  poison: { says: 'a task that harms its worker', weight: 4, targets: ['queue'], ownOnly: true },
} as const satisfies Record<string, FaultSpec>;

export type FaultKind = keyof typeof FAULTS;

export const faultKinds = Object.keys(FAULTS) as readonly FaultKind[];

export function getFault(kind: FaultKind): FaultSpec {
  return FAULTS[kind];
}

/** Describes a fault briefly, for reports and the terminal. */
export function toFaultText({ atMs, kind, target, forMs, byMs, poison }: Fault): string {
  const more = [
    ...(poison === undefined ? [] : [poison]),
    ...(byMs === undefined ? [] : [`by ${byMs} ms`]),
    ...(forMs === undefined ? [] : [`for ${forMs} ms`]),
  ];
  return [`${(atMs / 1000).toFixed(1)} s`, kind, target, ...more].join(' ');
}
