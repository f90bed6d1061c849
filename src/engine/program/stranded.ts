/**
 * Stranded tasks: they wait for a worker that cannot come. Either no process runs the program they were submitted to any
 * more, and another one of the same name has been started since, or their program no longer has the tool.
 */
import { isAlive } from '../../process/process-ref.ts';
import type { Adoption, ProgramInfo, ServingInfo } from '../../store/contracts/program-contract.ts';
import type { WorkerInfo } from '../../store/contracts/worker-contract.ts';
import { hasEnded } from '../workers/worker-life.ts';

/** How often an engine announces that it still serves. */
export const ANNOUNCE_MS = 300_000;

/**
 * Like `ANNOUNCE_MS`, where machines share a store: calls of an engine that is gone are released, and only missing
 * announcements show that it is.
 */
export const SHARED_ANNOUNCE_MS = 10_000;

/** How long an engine on another machine counts as holding calls after its last announcement on a shared store. */
export const SHARED_UNSEEN_MS = 45_000;

/** How long an engine on another machine, whose process cannot be checked, counts as serving after its last announcement. */
const UNSEEN_MS = 3 * ANNOUNCE_MS;

/**
 * What has changed since the tasks were submitted:
 *
 * - environment: only the environment.
 * - program:     the command line, the directory, or the given identity.
 * - tool:        no program of the name has their tool any more.
 */
export type StrandedWhy = 'environment' | 'program' | 'tool';

/** The tasks of one tool that one program has left behind. */
export interface Stranded {
  readonly identity: string;
  readonly name: string;
  readonly tool: string;
  readonly count: number;
  readonly why: StrandedWhy;
  /** The program that could take them over. */
  readonly heir?: ProgramInfo;
  readonly gone: NonNullable<Adoption['gone']>;
}

export interface Surroundings {
  readonly programs: readonly ProgramInfo[];
  readonly workers: readonly WorkerInfo[];
  /** The store's time. */
  readonly now: number;
}

export function findStranded(around: Surroundings): Stranded[] {
  return around.programs.flatMap((program) =>
    Object.entries(program.waiting).flatMap(([tool, count]) => {
      const found = findReason(around, program, tool);
      const { identity, name } = program;
      return found ? [{ identity, name, tool, count, ...found, gone: findGone(around, program) }] : [];
    }),
  );
}

/** Whether the engine may still be running. */
export function isServing({ process, seenAt }: ServingInfo, now: number, unseenMs = UNSEEN_MS): boolean {
  return isAlive(process) ?? now - seenAt < unseenMs;
}

function findReason(
  around: Surroundings,
  program: ProgramInfo,
  tool: string,
): Pick<Stranded, 'why' | 'heir'> | undefined {
  const { now, programs } = around;
  const served = program.servings.filter((serving) => isServing(serving, now));
  if (served.length > 0) return hasTool(program, tool, now) ? undefined : { why: 'tool' };
  if (around.workers.some((worker) => worker.identity === program.identity && isAtWork(worker))) return undefined;
  const later = programs.filter(({ name, seenAt }) => name === program.name && seenAt > program.seenAt);
  if (later.length === 0) return program.tools.includes(tool) ? undefined : { why: 'tool' };
  const able = later.filter((other) => hasTool(other, tool, now)).sort((a, b) => b.seenAt - a.seenAt);
  const heir = able.find(({ servings }) => servings.some((serving) => isServing(serving, now))) ?? able[0];
  if (!heir) return { why: 'tool' };
  return { why: heir.base === program.base ? 'environment' : 'program', heir };
}

function hasTool({ tools, servings }: ProgramInfo, tool: string, now: number): boolean {
  const served = servings.filter((serving) => isServing(serving, now));
  return served.length === 0 ? tools.includes(tool) : served.some((serving) => serving.tools.includes(tool));
}

function isAtWork(worker: WorkerInfo): boolean {
  return worker.state !== 'draining' && !isGone(worker);
}

function isGone(worker: WorkerInfo): boolean {
  return hasEnded(worker) || (worker.starter !== undefined && isAlive(worker.starter) === false);
}

function findGone({ workers, now }: Surroundings, { identity, servings }: ProgramInfo): Stranded['gone'] {
  const ended = workers.filter((worker) => worker.identity === identity && isGone(worker));
  return {
    servings: servings.filter((serving) => !isServing(serving, now)).map(({ servingId }) => servingId),
    workers: ended.map(({ workerId }) => workerId),
  };
}
