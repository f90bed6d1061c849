import { currentProcess } from '../../process/process-ref.ts';
import { warn } from '../../stderr.ts';
import type { ProgramInfo } from '../../store/contracts/program-contract.ts';
import { makeToken } from '../../task/id.ts';
import { toActor } from '../actor.ts';
import type { Audit } from '../audit.ts';
import type { EngineParts } from '../engine-parts.ts';
import { LOCAL } from '../principal.ts';
import { adoptStranded } from './adopt.ts';
import { ANNOUNCE_MS, findStranded, isServing, SHARED_ANNOUNCE_MS, type Stranded } from './stranded.ts';
import { toStrandedText } from './stranded-text.ts';

/** How often to check for stranded tasks: while other programs of the name have waiting tasks, and otherwise. */
const WATCH_INTERVAL_MS = 2000;
const CHECK_INTERVAL_MS = 60_000;

/**
 * How an engine deals with the other programs of its name.
 *
 * It announces that it serves, so that its tasks are not taken over. It reports once, on stderr, which tasks others have
 * left behind, and takes over those that it may: of tools that run in any environment, when only that has changed, and
 * all others with `adopt: 'newest'`, when no engine of the name was started later.
 */
export class OwnProgram {
  readonly #parts: EngineParts;
  readonly #audit: Audit | undefined;
  readonly #servingId = makeToken();
  #announcedAt: number | undefined;
  #nextCheckAt = Number.NEGATIVE_INFINITY;
  #hasWarned = false;
  #isWatching = true;
  #checking: Promise<void> | undefined;
  #stopped = false;

  constructor(parts: EngineParts, audit: Audit | undefined) {
    this.#parts = parts;
    this.#audit = audit;
  }

  /** Checks in the background, if a check is due. */
  pass(): void {
    const { clock, report } = this.#parts;
    if (this.#stopped) return;
    const isCheckDue = clock.monotonic() >= this.#nextCheckAt;
    if (!isCheckDue && !this.#isAnnouncementDue()) return;
    this.#checking ??= (isCheckDue ? this.#check() : this.#announce()).catch(report).finally(() => {
      this.#checking = undefined;
    });
  }

  /** Whether to check again soon: other identities of this name have tasks, or that is not known yet. */
  get isWatching(): boolean {
    return this.#isWatching;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#checking;
    if (this.#announcedAt === undefined) return;
    await this.#parts.store.programs.leave(this.#servingId).catch(this.#parts.report);
  }

  async #check(): Promise<void> {
    const { store, clock, name, identity } = this.#parts;
    this.#nextCheckAt = clock.monotonic() + WATCH_INTERVAL_MS;
    await this.#announce();
    const [programs, workers] = [await store.programs.list(name), await store.workers.list()];
    const { now } = store.time();
    await this.#removeEnded(programs, now);
    const left = await this.#takeOver(findStranded({ programs, workers, now }), programs);
    this.#warnOnce(left);
    this.#isWatching = programs.some((one) => one.identity !== identity && Object.keys(one.waiting).length > 0);
    if (!this.#isWatching) this.#nextCheckAt = clock.monotonic() + CHECK_INTERVAL_MS;
  }

  async #announce(): Promise<void> {
    const { store, clock, name, identity, base, tools, givenIdentity } = this.#parts;
    if (!this.#isAnnouncementDue()) return;
    const at = clock.monotonic();
    await store.programs.announce({
      ...{ servingId: this.#servingId, identity, name, base, tools: [...tools.keys()], process: currentProcess() },
      // Before the environment counted, the identity of a program was what is its base now.
      ...(givenIdentity === undefined && { formerly: [base] }),
    });
    this.#announcedAt = at;
  }

  #isAnnouncementDue(): boolean {
    const { store, clock } = this.#parts;
    const everyMs = store.isShared === true ? SHARED_ANNOUNCE_MS : ANNOUNCE_MS;
    return this.#announcedAt === undefined || clock.monotonic() - this.#announcedAt >= everyMs;
  }

  /** Removes the records of engines that ended without leaving. */
  async #removeEnded(programs: readonly ProgramInfo[], now: number): Promise<void> {
    const gone = programs.flatMap(({ servings }) => servings.filter((serving) => !isServing(serving, now)));
    for (const { servingId } of gone) await this.#parts.store.programs.leave(servingId);
  }

  /** Takes over what it may; returns what is still stranded after that. */
  async #takeOver(stranded: readonly Stranded[], programs: readonly ProgramInfo[]): Promise<Stranded[]> {
    const { store, identity } = this.#parts;
    const left: Stranded[] = [];
    for (const one of stranded) {
      const from = programs.find((program) => program.identity === one.identity);
      const isOurs = from !== undefined && this.#mayTake(one, from);
      const parts = { store, audit: this.#audit, by: toActor(LOCAL) };
      const adopted = isOurs ? await adoptStranded(parts, one, { to: identity }) : [];
      const count = one.count - (adopted?.length ?? one.count);
      if (count > 0) left.push({ ...one, count });
    }
    return left;
  }

  #mayTake({ tool, heir }: Stranded, from: ProgramInfo): boolean {
    const { identity, base, tools, adopt } = this.#parts;
    const own = tools.get(tool);
    if (!own || from.identity === identity) return false;
    if (own.environment === 'any' && from.base === base) return true;
    return adopt === 'newest' && heir?.identity === identity;
  }

  #warnOnce(stranded: readonly Stranded[]): void {
    const text = this.#hasWarned ? undefined : toStrandedText(stranded, this.#parts.store.directory);
    if (text === undefined) return;
    this.#hasWarned = true;
    warn(text);
  }
}
