import type { ServerUnderTest } from './server-under-test.ts';
import type { SoakOptions } from './soak-options.ts';
import type { Timeline } from './timeline.ts';
import { judgeAnswer, toCall } from './workload.ts';

/** What to kill, and after which part of the run: early, so that a long period without kills follows. */
const PLAN = [
  { what: 'server', after: 0.1 },
  { what: 'worker', after: 0.2 },
] as const;

const LOOK_MS = 10;

/** Kills what the options say, each once, during a call made for it. */
export class Killer {
  readonly #options: SoakOptions;
  readonly #server: ServerUnderTest;
  readonly #timeline: Timeline;
  #due: (typeof PLAN)[number][];

  constructor(options: SoakOptions, server: ServerUnderTest, timeline: Timeline) {
    this.#options = options;
    this.#server = server;
    this.#timeline = timeline;
    this.#due = PLAN.filter(({ what }) => (what === 'server' ? options.killServer : options.killWorker));
  }

  /** Kills what is due at this part of the run. Returns the resulting failures. */
  async killDue(part: number): Promise<string[]> {
    const due = this.#due.filter(({ after }) => part >= after);
    this.#due = this.#due.filter(({ after }) => part < after);
    const failures: string[] = [];
    for (const { what } of due) failures.push(...(await this.#killDuringCall(what)));
    return failures;
  }

  async #killDuringCall(what: 'server' | 'worker'): Promise<string[]> {
    const id = `kill-${what}`;
    const under = this.#server.session.send(id, 'tools/call', toCall(this.#options.workload.killed, id));
    // A failure of this call is expected here; for a worker kill, the response is judged below.
    under.catch(() => undefined);
    if (what === 'worker' && !(await this.#killWorker())) {
      await under.catch(() => undefined);
      return ['worker_kill_found_no_worker'];
    }
    const at = this.#timeline.now();
    if (what === 'server') await this.#server.kill();
    const why = await (what === 'server' ? this.#repeat(id) : this.#judge(under, id)).catch(toReason);
    this.#timeline.kills.push({ what, at, recovery_ms: why ? null : (this.#timeline.now() - at) * 1000 });
    return why ? [`${what}_kill_not_recovered:${why}`] : [];
  }

  /** The worker may not be running yet: it starts with the first durable call. */
  async #killWorker(): Promise<boolean> {
    const until = performance.now() + this.#options.timeoutMs;
    while (performance.now() < until) {
      if ((await this.#server.killWorkers()) > 0) return true;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    return false;
  }

  /** Repeats the call on a new server after its server died. */
  async #repeat(id: string): Promise<string | undefined> {
    const opened = await this.#server.open();
    if (opened.kind === 'error') return `initialize:${opened.code}`;
    const again = `${id}-again`;
    return this.#judge(this.#server.session.send(again, 'tools/call', toCall(this.#options.workload.killed, id)), id);
  }

  async #judge(sent: ReturnType<ServerUnderTest['session']['send']>, id: string): Promise<string | undefined> {
    return judgeAnswer(await sent, this.#options.workload, id);
  }
}

function toReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
