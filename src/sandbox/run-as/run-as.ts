/**
 * Repeats a call as another client would make it.
 *
 *   recorded client ─▶ gateway of its own, on a fast clock ─▶ the sandbox's gateway, in real time ─▶ servers
 *
 * The recorded client connects over HTTP with its own name, era, capabilities and timeouts. Its gateway uses the same profiles as
 * everywhere; only the clocks of both run faster. So at twenty times the speed, a tool that takes 6 s takes two minutes for both.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { TaskError } from '../../errors.ts';
import { createGateway } from '../../gateway/index.ts';
import { type JsonObject, patientFetch, type ServerSpec } from '../../host/index.ts';
import { createMemoryStore, type Listening } from '../../index.ts';
import { tapFetch } from '../wire/tap-fetch.ts';
import { createFastClock, type FastClock, withRealAnswers } from './fast-clock.ts';
import { openPeer, type Peer } from './peer.ts';
import { playCall } from './play.ts';
import { findPlayable, playableClients, type RecordedClient } from './recorded-clients.ts';
import { Run } from './run.ts';
import type { RunView } from './run-view.ts';
import type { PersonAnswer } from './scene.ts';

export interface RunAsOptions {
  readonly version: string;
  /** Returns how to reach the sandbox's own gateway; throws while it is not available. */
  toSpec(): ServerSpec;
  /** Returns the input schema of a tool; fields that it marks as secret are masked. */
  findSchema(tool: string): unknown;
  onChange(runId: string): void;
  report(error: unknown): void;
}

export interface WantedRun {
  readonly client: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly speed: number;
}

const MAX_KEPT = 20;
const MAX_RUNNING = 4;
const MAX_SPEED = 100;
// In real time. Leases are measured on the fast clock, and must not expire just because the machine is busy.
const LEASE_MS = 60_000;
const MAX_RUN_MS = 10 * 60_000;

export class RunAs {
  readonly #options: RunAsOptions;
  readonly #runs = new Map<string, { readonly run: Run; readonly stop: AbortController }>();
  readonly #playing = new Set<Promise<void>>();

  constructor(options: RunAsOptions) {
    this.#options = options;
  }

  get clients(): readonly RecordedClient[] {
    return playableClients;
  }

  /** Lists runs, newest first. */
  list(): readonly RunView[] {
    return [...this.#runs.values()].map(({ run }) => run.view).reverse();
  }

  get(runId: string): RunView {
    return this.#find(runId).run.view;
  }

  answer(runId: string, key: string, answer: PersonAnswer): RunView {
    const { run } = this.#find(runId);
    run.answer(key, answer);
    return run.view;
  }

  /** Makes the client leave, as when its user quits it. */
  stop(runId: string): RunView {
    const { run, stop } = this.#find(runId);
    stop.abort();
    return run.view;
  }

  /** Starts a run; its messages on the wire are recorded as they happen. */
  start({ client: name, tool, args, speed }: WantedRun): RunView {
    const client = findPlayable(name);
    if (!client) {
      const names = playableClients.map((one) => one.name).join('; ');
      throw new TaskError('INVALID_ARGUMENT', `client is ${JSON.stringify(name)}; expected one of ${names}`);
    }
    if (!(speed >= 1 && speed <= MAX_SPEED))
      throw new TaskError('INVALID_ARGUMENT', `speed is ${speed}; expected 1 to ${MAX_SPEED}`);
    const running = [...this.#runs.values()].filter(({ run }) => run.view.state === 'running');
    if (running.length >= MAX_RUNNING)
      throw new TaskError(
        'INVALID_ARGUMENT',
        `${running.length} runs are under way; wait for the end of one, or stop it`,
      );
    const spec = this.#options.toSpec();
    const clock = createFastClock(speed);
    const run = new Run({ runId: randomUUID(), client, tool, args, speed, clock, onChange: this.#options.onChange });
    run.mask.learn(this.#options.findSchema(tool), args);
    const stop = new AbortController();
    this.#addRun(run, stop);
    const playing = this.#play(run, { client, spec, clock, stop })
      .catch(this.#options.report)
      .finally(() => this.#playing.delete(playing));
    this.#playing.add(playing);
    return run.view;
  }

  async close(): Promise<void> {
    for (const { stop } of this.#runs.values()) stop.abort();
    await Promise.all(this.#playing);
  }

  #find(runId: string) {
    const found = this.#runs.get(runId);
    if (found) return found;
    throw new TaskError('CALL_NOT_FOUND', `there is no run ${JSON.stringify(runId)}`);
  }

  #addRun(run: Run, stop: AbortController): void {
    this.#runs.set(run.view.runId, { run, stop });
    for (const [runId, kept] of this.#runs) {
      if (this.#runs.size <= MAX_KEPT) return;
      if (kept.run.view.state === 'ended') this.#runs.delete(runId);
    }
  }

  async #play(run: Run, { client, spec, clock, stop }: PlaybackOptions): Promise<void> {
    const late = setTimeout(() => stop.abort(), MAX_RUN_MS);
    late.unref();
    const { version, report } = this.#options;
    const gateway = createGateway({
      ...{
        store: createMemoryStore({ clock }),
        clock: withRealAnswers(clock),
        workers: 'inline',
        name: 'sandbox',
        version,
      },
      ...{ upstream: spec, leaseMs: LEASE_MS * clock.speed, onError: report },
    });
    let listening: Listening | undefined;
    let peer: Peer | undefined;
    const die = () => void peer?.die().catch(report);
    stop.signal.addEventListener('abort', die);
    try {
      listening = await gateway.listen({ port: 0, token: randomBytes(24).toString('base64url') });
      const scene = {
        ...{ url: listening.url, headers: { authorization: `Bearer ${listening.token}` }, clock },
        fetch: tapFetch(patientFetch, (direction, text) => run.record(direction, text)),
        askPerson: run.askPerson,
      };
      run.begin();
      peer = await openPeer(scene, client);
      if (stop.signal.aborted) die();
      const { tool: name, args } = run.call;
      const { end, text } = await playCall(peer, { name, args }, run);
      run.end(stop.signal.aborted ? 'stopped' : end, text);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      run.end(stop.signal.aborted ? 'stopped' : 'error', text);
    } finally {
      clearTimeout(late);
      stop.signal.removeEventListener('abort', die);
      peer?.leave();
      await listening?.close();
      await gateway.close();
    }
  }
}

interface PlaybackOptions {
  readonly client: RecordedClient;
  readonly spec: ServerSpec;
  readonly clock: FastClock;
  readonly stop: AbortController;
}
