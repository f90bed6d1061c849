import type { CallHandle, JsonObject } from '../dialects/host-port.ts';
import type { InputRequest } from '../dialects/shared/questions/mcp-input.ts';
import type { PluginSpec } from '../dialects/spec-fields.ts';
import { TaskError } from '../errors.ts';
import { isObject } from '../is-object.ts';
import { type Call, toCall } from './calls/call.ts';
import type { CallLifecycle } from './calls/call-lifecycle.ts';
import { type CallOptions, checkCall } from './calls/call-options.ts';
import { CallRegistry } from './calls/call-registry.ts';
import { makeRecord } from './calls/new-call.ts';
import { OtherOwner } from './calls/other-owner.ts';
import { cancelWork } from './calls/remote-cancel.ts';
import { answerServer } from './calls/server-questions.ts';
import { loadHostDialects } from './host-dialects.ts';
import { type HostOptions, type HostSettings, parseHostOptions } from './host-options.ts';
import { type CodedLedger, withLedgerCodec } from './ledger/coded-ledger.ts';
import type { CallFilter, CallRecord, Ledger } from './ledger/contract.ts';
import { createMemoryLedger } from './ledger/memory-ledger.ts';
import { openSqliteLedger } from './ledger/sqlite-ledger.ts';
import { HostChildren } from './servers/host-children.ts';
import { ReconnectingServer } from './servers/reconnecting-server.ts';
import { ServerRegistry } from './servers/server-registry.ts';
import { parseServerSpec, type ServerSpec } from './transports/server-spec.ts';

/** Which calls of earlier processes are taken up. */
export interface ResumeOptions extends Pick<CallFilter, 'server' | 'sessionId'> {
  /**
   * Also takes over calls of processes that cannot be seen from here, such as those of another container. Safe only when
   * they are known to be gone. @default false
   */
  readonly takeOver?: boolean;
}

/** Keeps calls pending until they come back, whatever happens to connections and processes. */
export interface Host extends AsyncDisposable {
  /** Names a server and how it is reached; connects at once to see that it is there. */
  connect(name: string, spec: ServerSpec | PluginSpec): Promise<void>;
  /** The tools of a server, as it lists them. */
  tools(server: string): Promise<readonly JsonObject[]>;
  /** Calls a tool. The call is on disk when this resolves, and is sent from then on. */
  call(server: string, tool: string, args?: JsonObject, options?: CallOptions): Promise<Call>;
  /**
   * Every call not acknowledged yet, pending or ended meanwhile, oldest first. One whose server is not connected waits for
   * `connect` with its name, and says so by the update `unconnected`.
   */
  resume(options?: ResumeOptions): Promise<Call[]>;
  /** What the ledger knows of calls. */
  calls(filter?: CallFilter): Promise<CallRecord[]>;
  /** Stops waiting and lets go of the servers. Never cancels. */
  close(): Promise<void>;
}

/** Opens a host; connect servers to it, and call their tools. */
export async function createHost(options: HostOptions = {}): Promise<Host> {
  const parsed = parseHostOptions(options);
  const settings = { ...parsed, dialects: await loadHostDialects(options.dialects ?? []) };
  const ledger = openLedger(options.ledger, settings);
  await ledger.sweep(settings.clock.now() - settings.keepMs);
  return new PendingHost(settings, ledger, typeof options.ledger !== 'object');
}

function openLedger(ledger: HostOptions['ledger'], { clock }: Pick<HostSettings, 'clock'>): Ledger {
  if (ledger === undefined) return createMemoryLedger({ clock });
  return typeof ledger === 'string' ? openSqliteLedger({ path: ledger, clock }) : ledger;
}

class PendingHost implements Host {
  readonly #settings: HostSettings;
  /** With the secrets that calls are sent with. */
  readonly #ledger: CodedLedger;
  /** For whoever looks at them. */
  readonly #shown: Ledger;
  readonly #ownsLedger: boolean;
  readonly #servers = new ServerRegistry();
  readonly #running: CallRegistry;
  readonly #children: HostChildren;
  /** What dead hosts have left is ended. */
  readonly #cleared: Promise<void>;
  #closing: Promise<void> | undefined;

  constructor(settings: HostSettings, ledger: Ledger, ownsLedger: boolean) {
    this.#settings = settings;
    const { codec, redact } = settings;
    this.#ledger = withLedgerCodec(ledger, { codec, redact, secrets: 'reveal' });
    this.#shown = withLedgerCodec(ledger, { codec });
    this.#ownsLedger = ownsLedger;
    const findServer = this.#servers.whenAdded.bind(this.#servers);
    const isConnected = this.#servers.has.bind(this.#servers);
    this.#running = new CallRegistry({ settings, ledger: this.#ledger, findServer, isConnected });
    const { report } = settings;
    this.#children = new HostChildren({ notes: ledger.children, owner: this.#running.owner, report });
    this.#cleared = this.#children.endLeft().catch(report);
  }

  async connect(name: string, given: ServerSpec | PluginSpec): Promise<void> {
    this.#checkOpen();
    const spec = await this.#resolveSpec(name, given);
    const { extensions } = this.#settings.dialects;
    const { client, capabilities, connectMs, maxAnswerBytes, clock, report } = this.#settings;
    const onRequest = (request: InputRequest) =>
      answerServer(this.#settings, { ...request, server: name }, () => this.#running.list());
    const prepareChild = () => this.#children.prepare(name);
    // An older one of the same server may hold what a new one needs.
    if ('command' in spec) await this.#cleared;
    await this.#servers.add(name, async () => {
      const server = new ReconnectingServer({
        name,
        spec,
        client,
        capabilities,
        extensions,
        connectMs,
        maxAnswerBytes,
        clock,
        report,
        onRequest,
        prepareChild,
      });
      try {
        await server.connection();
        this.#checkOpen();
        return server;
      } catch (error) {
        await server.close();
        throw error;
      }
    });
  }

  async tools(server: string): Promise<readonly JsonObject[]> {
    const connection = await this.#servers.get(server).connection();
    return connection.tools();
  }

  // biome-ignore lint/complexity/useMaxParams: what is called, with what, and how reads best in this order
  async call(server: string, tool: string, args: JsonObject = {}, options: CallOptions = {}): Promise<Call> {
    this.#checkOpen();
    checkCall(tool, args, options);
    const { callMeta } = this.#servers.get(server).spec;
    const { owner } = this.#running;
    const record = await makeRecord({ server, tool, args, owner, callMeta }, options, this.#settings);
    await this.#ledger.create(record);
    const runner = this.#running.start(record, { isResumed: false });
    if (options.signal) this.#obey(runner, options.signal);
    return toCall({ record, ledger: this.#ledger, runner, ack: options.ack ?? 'manual' });
  }

  async resume({ takeOver = false, ...filter }: ResumeOptions = {}): Promise<Call[]> {
    this.#checkOpen();
    const records = await this.#ledger.list({ ...filter, unacked: true, limit: 1_000_000 });
    return Promise.all(records.map((record) => this.#resumeOne(record, takeOver)));
  }

  calls(filter: CallFilter = {}): Promise<CallRecord[]> {
    return this.#shown.list(filter);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    await this.#running.close();
    await this.#servers.close();
    await this.#running.whenLeft();
    await this.#cleared;
    await this.#children.whenWritten();
    if (this.#ownsLedger) await this.#ledger.close();
  }

  async #resumeOne(record: CallRecord, takeOver: boolean): Promise<Call> {
    const ledger = this.#ledger;
    const runner = this.#running.find(record.callId) ?? (await this.#running.takeUp(record, { takeOver }));
    if (runner) return toCall({ record, ledger, runner, ack: 'manual' });
    return new OtherOwner({
      record,
      ledger,
      clock: this.#settings.clock,
      takeOver: (now) => this.#running.takeUp(now, { takeOver: false }),
      cancelWork: (server: string, handle: CallHandle) => cancelWork(handle, this.#servers.get(server), this.#settings),
    }).toCall();
  }

  #obey(runner: CallLifecycle, signal: AbortSignal): void {
    const onAbort = () => {
      runner.cancel(toReason(signal.reason)).catch(this.#settings.report);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const stop = () => signal.removeEventListener('abort', onAbort);
    runner.run().then(stop, stop);
  }

  async #resolveSpec(name: string, given: ServerSpec | PluginSpec): Promise<ServerSpec> {
    const { dialects } = this.#settings;
    const resolved = isObject(given) ? await dialects.resolveSpec(given, this.#settings) : given;
    const spec = parseServerSpec(name, resolved, dialects.specFields);
    if (!('command' in spec)) return spec;
    return { ...spec, env: { ...dialects.serverEnv({ ...spec }, this.#settings), ...spec.env } };
  }

  #checkOpen(): void {
    if (this.#closing) throw new TaskError('HOST_CLOSED', 'the host has been closed; open a new one');
  }
}

function toReason(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason ?? 'cancelled by the caller');
}
