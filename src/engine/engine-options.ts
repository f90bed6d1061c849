import { z } from 'zod';
import { type Clock, systemClock } from '../clock.ts';
import type { PayloadCodec } from '../codec/codec.ts';
import { TaskError } from '../errors.ts';
import { isObject } from '../is-object.ts';
import { QUEUE_LIMIT } from '../limits.ts';
import { codecOption } from '../options/codec-option.ts';
import { callback, objectWith, onlyFields, text, value, wholeOrInfinite } from '../options/option-schemas.ts';
import { type OptionsShape, optionsParser } from '../options/options-parser.ts';
import { reportToStderr } from '../stderr.ts';
import type { Store } from '../store/contract.ts';
import type { Build } from '../store/contracts/worker-contract.ts';
import { toValueText } from '../text/value-text.ts';
import { type AuditOption, isAuditOption } from './audit.ts';
import type { EngineTools } from './engine-tools.ts';
import { type LimitOptions, type LimitSettings, limitsSchema, toLimitSettings } from './limit-options.ts';
import { currentBuild } from './program/build.ts';
import { isEntry, toEntryPath } from './program/worker-entry.ts';
import type { DeliveryHandler } from './recovery/courier.ts';
import { toStorableNumber } from './storable-number.ts';
import { type ParsedTool, parseTool } from './tool.ts';
import type { WorkersChange } from './workers/workers-change.ts';

/** Options of `createEngine`. */
export interface EngineOptions {
  /** The program's name; part of its identity and of its store directory. */
  readonly name: string;
  /** The store that holds the tasks. @default SQLite in the user's state directory */
  readonly store?: Store;
  /**
   * Encodes arguments, results, errors, questions, answers, steps and the texts of events before they are written, so
   * that nobody who gets access to the store can read them. `aesGcmCodec` or your own; every process on the store needs
   * it.
   *
   * @default payloads are stored in clear text, except answers marked secret and arguments named by `redact`
   */
  readonly codec?: PayloadCodec;
  /** The tools that can be submitted, by name. @default nothing */
  readonly tools?: EngineTools;
  /**
   * Where the work runs: in this process, in a process of its own that continues when this one ends, or, with `'none'`,
   * only in workers elsewhere on the same store, such as `holdfast worker`.
   *
   * @default 'inline'
   */
  readonly workers?: 'inline' | 'detached' | 'none';
  /**
   * The file to run as a worker instead of this program, for programs that are started by something else (`next start`, a
   * process manager): a path from the working directory, or a file URL. The file creates the same engine or server and
   * starts it. Identity and build are then derived from this file instead of the command line.
   *
   * @default the program's own command line is run again
   */
  readonly workerEntry?: string | URL;
  /** How many attempts one worker runs at once. @default 16 */
  readonly concurrency?: number;
  /** How many tasks may wait; more are refused with `QUEUE_FULL`. @default 10_000 */
  readonly queueLimit?: number;
  /**
   * How long a worker may go without a heartbeat before it counts as stalled; if it stays silent for another third of
   * that, its tasks are given to others. A shorter lease reacts sooner, but loses healthy workers on a busy machine.
   * @default 6000
   */
  readonly leaseMs?: number;
  /** How long a tool may block the thread before its worker counts as lost. @default 30_000 */
  readonly maxBlockMs?: number;
  /** How long an idempotent tool waits for an answer in memory before it is parked. @default 60_000 */
  readonly parkMs?: number;
  /** How long running work may take to finish when the worker is shut down. @default 10_000 */
  readonly shutdownGraceMs?: number;
  /** How long a tool that ignores its abort signal keeps its slot. @default 5000 */
  readonly abortGraceMs?: number;
  /** How long a detached worker stays alive without work. @default 5000 */
  readonly idleMs?: number;
  /**
   * How long a detached worker may take to register. If it is alive and still loading, on a machine that is too busy, it
   * gets three times as long before the work moves into this process, and ten times (at least a minute) before it is
   * ended.
   *
   * @default 10_000
   */
  readonly startMs?: number;
  /** How often to check for dead workers. @default 1000 */
  readonly superviseMs?: number;
  /** How often expired tasks are swept. @default 60_000 */
  readonly sweepMs?: number;
  /** How long the tombstone of an expired task is kept. @default 604_800_000 (a week) */
  readonly tombstoneMs?: number;
  /** How long an outbox message stays claimed by a process that died while delivering it. @default 5000 */
  readonly outboxVisibilityMs?: number;
  /** What one principal may use; protects all others. @default what suits a server that many share */
  readonly limits?: LimitOptions;
  /**
   * Whether to record who answers, cancels, takes over and prunes: `true` for lines of JSON in `audit.jsonl` in the
   * store's directory, or a function that is called with each entry. The events of a task record it in any case.
   *
   * @default false
   */
  readonly audit?: AuditOption;
  /** Delivers outbox messages to the outside, by topic. */
  readonly outbox?: Readonly<Record<string, DeliveryHandler>>;
  /** Called with every error in the background. @default one line on stderr */
  readonly onError?: (error: unknown) => void;
  /**
   * Called when the work of an engine with detached workers moves into this process, where it would end with it, and when
   * it moves back. A line on stderr says the same.
   */
  readonly onWorkers?: (change: WorkersChange) => void;
  /** The clock; tests pass one of their own. @default the system's */
  readonly clock?: Clock;
  /**
   * Identifies the program. Only workers of the same identity run its tasks. A given identity is used alone: programs
   * with the same one share their workers whatever their command lines, directories and environments.
   *
   * @default from name, entry, arguments, directory and environment; see docs/workers.md
   */
  readonly identity?: string;
  /**
   * What happens to tasks of this name that wait for a program of another environment, command line or directory, when no
   * process runs that program any more: they wait for `holdfast tasks adopt` (`'asked'`), or the engine that was started
   * last takes them over (`'newest'`). Use `'newest'` only where entries never differ on purpose, for example by
   * database.
   *
   * @default 'asked'
   */
  readonly adopt?: 'asked' | 'newest';
  /** The version of the program. @default from the files it loads, its packages and Holdfast; see docs/workers.md */
  readonly build?: Build;
}

/** Options with every default filled in. */
export interface EngineSettings {
  readonly name: string;
  readonly codec: PayloadCodec | undefined;
  /** By name; tools can be added and removed while the engine runs. */
  readonly tools: Map<string, ParsedTool>;
  readonly workers: 'inline' | 'detached' | 'none';
  readonly workerEntry: string | undefined;
  readonly concurrency: number;
  readonly queueLimit: number;
  readonly leaseMs: number;
  readonly maxBlockMs: number;
  readonly parkMs: number;
  readonly shutdownGraceMs: number;
  readonly abortGraceMs: number;
  readonly idleMs: number;
  readonly startMs: number;
  readonly superviseMs: number;
  readonly sweepMs: number;
  readonly tombstoneMs: number;
  readonly outboxVisibilityMs: number;
  readonly limits: LimitSettings;
  readonly audit: AuditOption;
  readonly outbox: Readonly<Record<string, DeliveryHandler>>;
  readonly report: (error: unknown) => void;
  readonly onWorkers: ((change: WorkersChange) => void) | undefined;
  readonly clock: Clock;
  /** The `identity` option as it was given. */
  readonly givenIdentity: string | undefined;
  readonly adopt: 'asked' | 'newest';
  readonly build: Build;
}

/** A whole number; `Infinity` means no limit. `least` rules out times that would be a busy loop, or no time at all. */
function whole(fallback: number, least = 0) {
  return wholeOrInfinite(least)
    .nullish()
    .transform((value) => toStorableNumber(value ?? fallback));
}

const parseFields = optionsParser(() =>
  onlyFields({
    name: text(),
    store: value<Store>('an opened store', (store) => isObject((store as Partial<Store> | null)?.tasks)).optional(),
    codec: codecOption().optional(),
    tools: value<EngineTools>(
      'an object of tools by name',
      (tools) => tools !== null && typeof tools === 'object',
    ).default({}),
    workers: z.enum(['inline', 'detached', 'none'], "'inline', 'detached' or 'none'").default('inline'),
    workerEntry: value<string | URL>('the path or the file URL of a program', isEntry).optional(),
    concurrency: whole(16, 1),
    queueLimit: whole(QUEUE_LIMIT),
    // A shorter lease would expire between two heartbeats.
    leaseMs: whole(6000, 100),
    // With a shorter time, a thread that is only busy would count as blocked.
    maxBlockMs: whole(30_000, 300),
    parkMs: whole(60_000),
    shutdownGraceMs: whole(10_000),
    abortGraceMs: whole(5000),
    idleMs: whole(5000),
    startMs: whole(10_000),
    superviseMs: whole(1000, 1),
    sweepMs: whole(60_000, 1),
    tombstoneMs: whole(604_800_000),
    outboxVisibilityMs: whole(5000),
    limits: limitsSchema().optional(),
    audit: value<AuditOption>('true, false or a function', isAuditOption).default(false),
    outbox: z.object({}, 'an object of functions by topic').catchall(callback<DeliveryHandler>()).default({}),
    onError: callback<(error: unknown) => void>().optional(),
    onWorkers: callback<(change: WorkersChange) => void>().optional(),
    clock: objectWith<Clock>('a clock', 'now', 'monotonic', 'after')
      .nullish()
      .transform((clock) => clock ?? systemClock),
    identity: text().optional(),
    adopt: z.enum(['asked', 'newest'], "'asked' or 'newest'").default('asked'),
    build: value<Build>('{ id, at }', isObject)
      .nullish()
      .transform((build) => build ?? undefined),
  } satisfies OptionsShape<EngineOptions>),
);

/** Checks the options and fills in the defaults. */
export function parseEngineOptions(options: EngineOptions): EngineSettings {
  const { store: _, limits, identity, onError, ...given } = parseFields(options ?? {});
  const workerEntry = given.workerEntry && toEntryPath(given.workerEntry);
  const tools = Object.entries(given.tools).map(([name, tool]) => [name, parseTool(name, tool)] as const);
  return {
    ...given,
    codec: given.codec,
    onWorkers: given.onWorkers,
    // The original object: its functions may be methods that use `this`.
    outbox: options.outbox ?? {},
    tools: new Map(tools),
    limits: toLimitSettings(limits),
    report: toReport(onError),
    givenIdentity: identity,
    workerEntry,
    build: given.build ?? currentBuild(workerEntry),
  };
}

/** Errors are reported from code that must continue, so an error thrown by the hook itself must not propagate. */
function toReport(onError: ((error: unknown) => unknown) | undefined): (error: unknown) => void {
  if (!onError) return reportToStderr;
  return (error) => {
    const onFailure = (cause: unknown) => {
      reportToStderr(error);
      reportToStderr(new TaskError('INTERNAL', `onError failed: ${toValueText(cause)}`, { cause }));
    };
    try {
      Promise.resolve(onError(error)).catch(onFailure);
    } catch (cause) {
      onFailure(cause);
    }
  };
}
