import type { Findings } from './findings.ts';
import { Killer } from './kills.ts';
import type { ServerUnderTest } from './server-under-test.ts';
import type { SoakOptions } from './soak-options.ts';
import type { Timeline } from './timeline.ts';
import { judgeAnswer, toCall, toErrorCode } from './workload.ts';

interface LoopParts {
  readonly options: SoakOptions;
  readonly server: ServerUnderTest;
  readonly findings: Findings;
  readonly timeline: Timeline;
}

const PRUNE_S = 1;
/** Samples often at first, because a run may be short, and rarely later in a long one. */
const SAMPLE_S = { min: 0.1, max: 2, share: 0.02 };

/** Makes the calls of a soak, one after the other. */
export class SoakLoop {
  readonly #parts: LoopParts;
  readonly #killer: Killer;
  #measured = 0;
  #sampledAt = Number.NEGATIVE_INFINITY;
  #prunedAt = 0;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    this.#killer = new Killer(parts.options, parts.server, parts.timeline);
  }

  async run(): Promise<void> {
    const { options, findings, server } = this.#parts;
    for (let call = 0; call < options.warmupRequests; call += 1) await this.#call(call, { isMeasured: false });
    while (this.#part() < 1) {
      if (options.signal?.aborted) return void findings.failures.push('interrupted_by_signal');
      findings.failures.push(...(await this.#killer.killDue(this.#part())));
      await this.#call(options.warmupRequests + this.#measured, { isMeasured: true });
      this.#measured += 1;
      const died = await server.died();
      if (died !== undefined) return void findings.failures.push(`server_died:${died}`);
      await this.#sampleAndPrune();
      this.#reportProgress();
    }
    findings.failures.push(...(await this.#killer.killDue(1)));
    // Stray responses to earlier calls arrive before the response to this ping.
    await server.session.ping('last-ping').catch(() => undefined);
  }

  /** Progress of the run as a share, by calls and by time, whichever is less. */
  #part(): number {
    const { options, timeline } = this.#parts;
    const byTime = options.durationMs === undefined ? 1 : (1000 * timeline.now()) / options.durationMs;
    return Math.min(this.#measured / options.iterations, byTime);
  }

  async #call(at: number, { isMeasured }: { readonly isMeasured: boolean }): Promise<void> {
    const { options, server, findings, timeline } = this.#parts;
    const id = `soak-${at}`;
    const iteration = `iteration_${this.#measured}`;
    const startedAt = performance.now();
    try {
      const answer = await server.session.send(id, 'tools/call', toCall(options.workload.measured, id));
      if (!isMeasured) return;
      timeline.latencies.push({ at: timeline.now(), value: performance.now() - startedAt });
      countCode(toErrorCode(answer), findings.errorCodes);
      const fault = judgeAnswer(answer, options.workload, id);
      if (fault !== undefined) findings.failures.push(`${iteration}_${fault}`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (isMeasured && !options.signal?.aborted) findings.failures.push(`${iteration}_exception:${why}`);
    }
  }

  async #sampleAndPrune(): Promise<void> {
    const { options, server, timeline } = this.#parts;
    const now = timeline.now();
    const sampleS = Math.min(Math.max(now * SAMPLE_S.share, SAMPLE_S.min), SAMPLE_S.max);
    if (now - this.#sampledAt >= sampleS) {
      timeline.samples.push(await server.sample(now));
      this.#sampledAt = now;
    }
    if (now - this.#prunedAt >= PRUNE_S) {
      await server.view.prune(options.keepMs);
      this.#prunedAt = now;
    }
  }

  #reportProgress(): void {
    const { options, findings, timeline } = this.#parts;
    const last = timeline.latencies.at(-1)?.value ?? 0;
    const what = `${options.transport} ${options.era}`;
    const counts = `${this.#measured} calls, last ${last.toFixed(1)} ms, failures: ${findings.failures.length}`;
    options.onProgress?.(Math.min(this.#part(), 1), `${what}: ${counts}`);
  }
}

/** Limits memory for a server that fails with a different code each time. */
const MAX_CODES = 100;

function countCode(code: string | undefined, codes: Map<string, number>): void {
  if (code === undefined) return;
  const name = codes.size < MAX_CODES || codes.has(code) ? code : 'other';
  codes.set(name, (codes.get(name) ?? 0) + 1);
}
