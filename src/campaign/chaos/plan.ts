/**
 * A list of faults with their times, generated from a seed.
 *
 * A plan is plain JSON. It can be stored, read, edited by hand and run again; the same seed and options always produce the same
 * plan.
 */

import { z } from 'zod';
import { invalidField } from '../../invalid-field.ts';
import { value, whole } from '../../options/option-schemas.ts';
import { type OptionsShape, optionsParser } from '../../options/options-parser.ts';
import { FAULTS, type Fault, type FaultKind, faultKinds, getFault, PARTS, POISONS, type Target } from './fault.ts';
import { createRandom, type Random } from './random.ts';

export interface ChaosPlan {
  readonly version: 1;
  readonly seed: number;
  /** How long work is requested and faults are injected, in ms; calls still under way then get time to end. */
  readonly ms: number;
  /** In order of time. */
  readonly faults: readonly Fault[];
}

export interface PlanOptions {
  readonly seed: number;
  readonly ms: number;
  /** @default all kinds */
  readonly kinds?: readonly FaultKind[];
  /** Available targets. @default everything */
  readonly targets?: readonly Target[];
  /** Average number of faults per second. @default 1.2 */
  readonly rate?: number;
}

/** Generates a plan; no fault starts in the last second. */
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

const parseFields = optionsParser(() =>
  z.object(
    {
      version: z.literal(1, '1'),
      seed: whole(0),
      ms: whole(0),
      faults: z.array(faultSchema(), 'a list'),
    } satisfies OptionsShape<ChaosPlan>,
    'an object',
  ),
);

/** Parses a stored or hand-written plan; an error names the field, its value and what is expected. */
export function parsePlan(given: unknown): ChaosPlan {
  const { faults, ...plan } = parseFields(given, { whole: 'the plan' });
  const written = faults.map((fault) =>
    Object.fromEntries(Object.entries(fault).filter(([, one]) => one !== undefined)),
  );
  return { ...plan, faults: (written as unknown as Fault[]).sort((a, b) => a.atMs - b.atMs) };
}

function faultSchema() {
  const shape = {
    kind: z.enum(faultKinds, `one of ${faultKinds.join(', ')}`),
    target: z.custom<Target>(),
    // Only poison faults have one.
    poison: z.enum(POISONS).optional().catch(undefined),
    atMs: whole(0),
    forMs: whole(0).optional(),
    byMs: value<number>('a whole number', Number.isSafeInteger).optional(),
  } satisfies OptionsShape<Fault>;
  return z.object(shape, 'an object').superRefine(({ kind, target, poison }, context) => {
    const { targets } = getFault(kind);
    const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (!targets.includes(target)) refuse('target', `one of ${targets.join(', ')}`);
    if (kind === 'poison' && poison === undefined) refuse('poison', POISONS.join(', '));
  });
}

/** Parses comma-separated kinds; `where` names the option in errors. */
export function parseKinds(text: string, where: string): readonly FaultKind[] {
  return text.split(',').map((name) => {
    const kind = faultKinds.find((one) => one === name.trim());
    if (kind === undefined) throw invalidField(where, name, `some of ${faultKinds.join(',')}`);
    return kind;
  });
}

/** Counts the faults of a plan by kind. */
export function countFaults(faults: readonly Fault[]): Partial<Record<FaultKind, number>> {
  const counts: Partial<Record<FaultKind, number>> = {};
  for (const { kind } of faults) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** All targets that our own workload offers. */
export const ALL_TARGETS: readonly Target[] = [...PARTS, 'network', 'disk', 'store', 'queue'];
