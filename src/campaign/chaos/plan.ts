/**
 * What goes wrong, and when: a list of faults made from a seed.
 *
 * A plan is plain JSON. It can be kept, read, changed by hand and run again; the same seed and options always give the
 * same plan.
 */

import { invalidField } from '../../invalid-field.ts';
import { FAULTS, type Fault, type FaultKind, faultKinds, getFault, PARTS, POISONS, type Target } from './fault.ts';
import { createRandom, type Random } from './random.ts';

export interface ChaosPlan {
  readonly version: 1;
  readonly seed: number;
  /** How long work is asked for and faults are made; what is under way afterwards gets its time. */
  readonly ms: number;
  /** In order of time. */
  readonly faults: readonly Fault[];
}

export interface PlanOptions {
  readonly seed: number;
  readonly ms: number;
  /** @default all kinds */
  readonly kinds?: readonly FaultKind[];
  /** What can be harmed here. @default everything */
  readonly targets?: readonly Target[];
  /** How many faults there are in a second, on average. @default 1.2 */
  readonly rate?: number;
}

/** Makes a plan; the last second is left in peace. */
export function createPlan({ seed, ms, kinds = faultKinds, targets, rate = 1.2 }: PlanOptions): ChaosPlan {
  const random = createRandom(seed);
  const usable = kinds.filter((kind) => toTargets(kind, targets).length > 0);
  const count = usable.length === 0 ? 0 : Math.round((ms / 1000) * rate);
  const faults = Array.from({ length: count }, () => makeFault(random, { usable, targets, ms }));
  return { version: 1, seed, ms, faults: faults.sort((a, b) => a.atMs - b.atMs) };
}

interface Making {
  readonly usable: readonly FaultKind[];
  readonly targets: readonly Target[] | undefined;
  readonly ms: number;
}

function makeFault(random: Random, { usable, targets, ms }: Making): Fault {
  const kind = random.weigh(usable.map((one) => [one, FAULTS[one].weight] as const));
  const { forMs, byMs } = getFault(kind);
  return {
    atMs: random.whole(0, Math.max(0, ms - 1000)),
    kind,
    target: random.pick(toTargets(kind, targets)),
    ...(forMs === undefined ? {} : { forMs: random.whole(...forMs) }),
    ...(byMs === undefined ? {} : { byMs: random.whole(...byMs) }),
    ...(kind === 'poison' ? { poison: random.pick(POISONS) } : {}),
  };
}

function toTargets(kind: FaultKind, targets: readonly Target[] | undefined): readonly Target[] {
  return getFault(kind).targets.filter((target) => targets === undefined || targets.includes(target));
}

/** Reads a plan that was kept, or written by hand; a complaint names the field, its value and what is expected. */
export function parsePlan(value: unknown): ChaosPlan {
  const plan = toObject(value, 'the plan');
  if (plan.version !== 1) throw invalidField('version', plan.version, '1');
  const seed = toWhole(plan.seed, 'seed');
  const ms = toWhole(plan.ms, 'ms');
  if (!Array.isArray(plan.faults)) throw invalidField('faults', plan.faults, 'a list');
  const faults = plan.faults.map((fault, at) => parseFault(fault, `faults[${at}]`));
  return { version: 1, seed, ms, faults: faults.sort((a, b) => a.atMs - b.atMs) };
}

function parseFault(value: unknown, where: string): Fault {
  const { atMs, kind, target, forMs, byMs, poison } = toObject(value, where);
  const found = faultKinds.find((one) => one === kind);
  if (found === undefined) throw invalidField(`${where}.kind`, kind, `one of ${faultKinds.join(', ')}`);
  const targets = getFault(found).targets;
  const aim = targets.find((one) => one === target);
  if (aim === undefined) throw invalidField(`${where}.target`, target, `one of ${targets.join(', ')}`);
  const harm = POISONS.find((one) => one === poison);
  if (found === 'poison' && harm === undefined) throw invalidField(`${where}.poison`, poison, POISONS.join(', '));
  return {
    atMs: toWhole(atMs, `${where}.atMs`),
    kind: found,
    target: aim,
    ...(forMs === undefined ? {} : { forMs: toWhole(forMs, `${where}.forMs`) }),
    ...(byMs === undefined ? {} : { byMs: toWhole(byMs, `${where}.byMs`, Number.MIN_SAFE_INTEGER) }),
    ...(harm === undefined ? {} : { poison: harm }),
  };
}

/** Kinds by their names, with commas between; `where` says whose value it is. */
export function parseKinds(text: string, where: string): readonly FaultKind[] {
  return text.split(',').map((name) => {
    const kind = faultKinds.find((one) => one === name.trim());
    if (kind === undefined) throw invalidField(where, name, `some of ${faultKinds.join(',')}`);
    return kind;
  });
}

/** How often each kind is in a plan. */
export function countFaults(faults: readonly Fault[]): Partial<Record<FaultKind, number>> {
  const counts: Partial<Record<FaultKind, number>> = {};
  for (const { kind } of faults) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Everything there is to harm where the workload is ours. */
export const ALL_TARGETS: readonly Target[] = [...PARTS, 'network', 'disk', 'store', 'queue'];

function toObject(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  throw invalidField(where, value, 'an object');
}

function toWhole(value: unknown, where: string, least = 0): number {
  if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
  throw invalidField(where, value, least === 0 ? 'a whole number from 0 up' : 'a whole number');
}
