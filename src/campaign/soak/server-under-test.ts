import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskError } from '../../errors.ts';
import { endGroup } from '../../process/process-group.ts';
import { listProcesses } from '../../process/process-table.ts';
import { readUsage } from '../../process/process-usage.ts';
import type { Answer, Connection } from './peers/connection.ts';
import { type HttpPlace, openHttpConnection } from './peers/http-connection.ts';
import { openPipeConnection } from './peers/pipe-connection.ts';
import { notStartedError, readPlace, type ServerProcess, startServer } from './peers/server-process.ts';
import { Session } from './peers/session.ts';
import { type SoakOptions, toSoakEnvironment } from './soak-options.ts';
import { StoreView } from './store-view.ts';
import type { Sample } from './timeline.ts';

/** Used instead of an error code when the handshake got no response. */
export const NO_ANSWER = 'no answer';

/**
 * A server under soak, with one connection to it. The server can be killed and restarted; stray responses of earlier connections
 * are kept.
 */
export class ServerUnderTest {
  readonly #options: SoakOptions;
  readonly #directory: string;
  readonly #view: StoreView;
  readonly #strayResponses: string[] = [];
  #server: ServerProcess | undefined;
  #connection: Connection | undefined;
  #session: Session | undefined;

  private constructor(options: SoakOptions, directory: string) {
    this.#options = options;
    this.#directory = directory;
    this.#view = new StoreView(directory, options.database);
  }

  static async create(options: SoakOptions): Promise<ServerUnderTest> {
    return new ServerUnderTest(options, await mkdtemp(join(tmpdir(), 'holdfast-soak-')));
  }

  get session(): Session {
    if (this.#session === undefined) throw new TaskError('INTERNAL', 'the rig has not been opened');
    return this.#session;
  }

  /** The view of the server's store, if it has one here. */
  get view(): StoreView {
    return this.#view;
  }

  /** All stray responses so far. */
  get strayResponses(): readonly string[] {
    return [...this.#strayResponses, ...(this.#connection?.strayResponses ?? [])];
  }

  /** How the server exited by itself; undefined while it runs, or when it was not started here. */
  async died(): Promise<string | undefined> {
    return this.#server === undefined || this.#server.isRunning ? undefined : this.#server.ended;
  }

  /** Starts the server and performs the handshake; the response says whether it speaks the era. */
  async open(): Promise<Answer> {
    const { era, timeoutMs } = this.#options;
    this.#connection = await this.#connect();
    this.#session = new Session(this.#connection, { era, timeoutMs });
    try {
      return await this.#session.open();
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      if (this.#server === undefined) throw new TaskError('CONNECT_FAILED', `no server answers: ${why}`, { cause });
      if (!this.#server.isRunning) throw notStartedError(this.#server, await this.#server.ended);
      return { kind: 'error', code: NO_ANSWER, message: why };
    }
  }

  async kill(): Promise<void> {
    await this.#server?.kill();
    await this.disconnect();
  }

  /** Closes the connection; pending requests are rejected. */
  async disconnect(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#strayResponses.push(...(connection?.strayResponses ?? []));
    await connection?.close();
  }

  /** Kills the workers of the store; returns how many there were. */
  async killWorkers(): Promise<number> {
    const workers = await this.#view.workers();
    await Promise.all(workers.map((worker) => endGroup(worker, { graceMs: 0 })));
    return workers.length;
  }

  async sample(at: number): Promise<Sample> {
    const group = this.#server?.ref.pid;
    const members = group === undefined ? [] : listProcesses().filter((entry) => entry.group === group);
    const server = readUsage(members.map(({ pid }) => pid));
    const workers = await this.#view.workers();
    const worker = readUsage(workers.map(({ pid }) => pid));
    const bytes = this.#view.size();
    return {
      at,
      ...(server && { server_rss_bytes: server.rssBytes }),
      ...(worker && { worker_rss_bytes: worker.rssBytes }),
      ...(server?.descriptors !== undefined && { server_descriptors: server.descriptors }),
      ...(worker?.descriptors !== undefined && { worker_descriptors: worker.descriptors }),
      ...(bytes !== undefined && { database_bytes: bytes }),
    };
  }

  /** Ends all processes that were started. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.disconnect();
    await this.#server?.stop();
    await this.killWorkers();
    await this.#view.close();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #connect(): Promise<Connection> {
    const { target, transport, era, timeoutMs } = this.#options;
    if (target.kind === 'url') return openHttpConnection(target.place, era);
    const [command = '', ...args] = transport === 'http' ? target.http : target.stdio;
    const env = toSoakEnvironment(this.#options, this.#directory);
    this.#server = await startServer({ command, args, env });
    if (transport !== 'http') return openPipeConnection(this.#server, transport);
    const place: HttpPlace = await readPlace(this.#server, timeoutMs);
    return openHttpConnection(place, era);
  }
}
