import type { CallHandle, JsonObject, Notification, Reply } from '../dialects/host-port.ts';
import type { InputRequest } from '../dialects/shared/questions/mcp-input.ts';
import type { PluginSpec } from '../dialects/spec-fields.ts';
import { TaskError } from '../errors.ts';
import { refuseUnknownFields } from '../invalid-field.ts';
import { isObject } from '../is-object.ts';
import { type Call, toCall, withAutoAck } from './calls/call.ts';
import { isSameCall, keyConflictError } from './calls/call-key.ts';
import type { CallLifecycle } from './calls/call-lifecycle.ts';
import { type CallOptions, checkCall } from './calls/call-options.ts';
import { CallRegistry } from './calls/call-registry.ts';
import { makeRecord } from './calls/new-call.ts';
import { OtherOwner } from './calls/other-owner.ts';
import { cancelWork } from './calls/remote-cancel.ts';
import { withoutMark } from './calls/sending/send-mark.ts';
import { answerServer } from './calls/server-questions.ts';
import { loadHostDialects } from './host-dialects.ts';
import { type HostOptions, type HostSettings, parseHostOptions } from './host-options.ts';
import { type CodedLedger, withLedgerCodec } from './ledger/coded-ledger.ts';
import type { CallFilter, CallRecord, Ledger } from './ledger/contract.ts';
import { createMemoryLedger } from './ledger/memory-ledger.ts';
import { openSqliteLedger } from './ledger/sqlite-ledger.ts';
import { checkRequest, type RequestOptions } from './request-options.ts';
import { HostChildren } from './servers/host-children.ts';
import type { HostTool } from './servers/host-tool.ts';
import { ReconnectingServer } from './servers/reconnecting-server.ts';
import type { ServerInfo } from './servers/server-info.ts';
import { ServerRegistry } from './servers/server-registry.ts';
import type { EndedServer } from './transports/keeping-transport.ts';
import type { TransportOptions } from './transports/open-transport.ts';
import { parseServerSpec, type ServerSpec } from './transports/server-spec.ts';

/** Selects the calls of earlier processes that `resume` returns. */
export interface ResumeOptions extends Pick<CallFilter, 'server' | 'sessionId'> {
  /**
   * Also takes over calls whose owning process cannot be checked from here, such as one in another container. Safe only when
   * those processes are known to be gone.
   *
   * @default false
   */
  readonly takeOver?: boolean;
}

const RESUME_FIELDS: Readonly<Record<keyof ResumeOptions, true>> = { server: true, sessionId: true, takeOver: true };

/** Follows each call until it has an outcome, across lost connections and process restarts. */
export interface Host extends AsyncDisposable {
  /** Registers a server under a name and connects to it at once, to check that it can be reached. */
  connect(name: string, spec: ServerSpec | PluginSpec): Promise<void>;
  /**
   * Closes the connection to a server, and ends the program started for it unless another host or an open call needs it. Pending
   * calls to it wait for the next `connect`.
   */
  disconnect(name: string): Promise<void>;
  /** Returns what a server reports about itself. */
  server(name: string): Promise<ServerInfo>;
  /**
   * Sends any request once and returns the server's response unchanged: a result or a JSON-RPC error. The request is not stored;
   * use `call` for a tool that may take long. Rejects with `CONNECT_FAILED` when the request did not arrive, and with `LINE_LOST`
   * when the connection broke before the response.
   */
  request(server: string, method: string, params?: JsonObject, options?: RequestOptions): Promise<Reply>;
  /** Sends a notification to a server. */
  notify(server: string, method: string, params?: JsonObject): Promise<void>;
  /** Subscribes to every notification of a server, on any connection. Returns a function that unsubscribes. */
  onNotification(server: string, listener: (notification: Notification) => void): () => void;
  /**
   * Calls the listener on each new connection to a server: settings and subscriptions of the previous connection are lost. While
   * there is a listener, a lost connection is reopened, with a back-off that grows after each failure.
   */
  onConnected(server: string, listener: () => void): () => void;
  /** Returns the tools that a server lists. */
  tools(server: string): Promise<readonly HostTool[]>;
  /** Calls a tool. The call is on disk when this resolves, and is sent from then on. */
  call(server: string, tool: string, args?: JsonObject, options?: CallOptions): Promise<Call>;
  /**
   * Ends the program of a server on stdio that does not stop the work of a call, and every process it started if a keeper holds
   * it; the next use of the server starts a new one. A server that works on other calls, of any host, is not ended.
   */
  endServer(server: string, callId: string): Promise<EndedServer>;
  /**
   * Returns every call that is not acknowledged yet, pending or already ended, oldest first. A call whose server is not connected
   * waits for `connect` with its name, and emits the update `unconnected`.
   */
  resume(options?: ResumeOptions): Promise<Call[]>;
  /** Returns the call records in the ledger. */
  calls(filter?: CallFilter): Promise<CallRecord[]>;
  /** Stops waiting and closes the connections to the servers. Never cancels a call. */
  close(): Promise<void>;
}

/** Opens a host, which connects to servers and calls their tools. */
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
  /** Reads records with their secrets revealed: calls are sent with them. */
  readonly #ledger: CodedLedger;
  /** Reads records with secrets masked, for `calls()`. */
  readonly #shown: Ledger;
  readonly #ownsLedger: boolean;
  readonly #servers = new ServerRegistry();
  readonly #running: CallRegistry;
  readonly #children: HostChildren;
  /** Resolves when the child processes that dead hosts left behind have been ended. */
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
    const openers = this.#toKeeperOpeners(name);
    // A server process left behind by a dead host may hold a resource, such as a lock, that the new one needs.
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
        ...openers,
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

  async disconnect(name: string): Promise<void> {
    this.#checkOpen();
    await this.#servers.remove(name);
  }

  async server(name: string): Promise<ServerInfo> {
    return (await this.#servers.get(name).connection()).info;
  }

  // biome-ignore lint/complexity/useMaxParams: whom, what, with what, and how reads best in this order
  async request(server: string, method: string, params: JsonObject = {}, options: RequestOptions = {}): Promise<Reply> {
    this.#checkOpen();
    checkRequest(method, params, options);
    const { signal } = options;
    const connection = await this.#servers.get(server).connection(signal);
    return connection.request(method, params, { signal });
  }

  async notify(server: string, method: string, params: JsonObject = {}): Promise<void> {
    this.#checkOpen();
    checkRequest(method, params, {});
    const connection = await this.#servers.get(server).connection();
    await connection.notify(method, params);
  }

  onNotification(server: string, listener: (notification: Notification) => void): () => void {
    return this.#servers.get(server).onNotification(listener);
  }

  onConnected(server: string, listener: () => void): () => void {
    return this.#servers.get(server).onConnected(listener);
  }

  async tools(server: string): Promise<readonly HostTool[]> {
    const connection = await this.#servers.get(server).connection();
    return connection.tools();
  }

  // biome-ignore lint/complexity/useMaxParams: what is called, with what, and how reads best in this order
  async call(server: string, tool: string, args: JsonObject = {}, options: CallOptions = {}): Promise<Call> {
    this.#checkOpen();
    checkCall(tool, args, options);
    const { spec, keeper, isToBeKept } = this.#servers.get(server);
    const { owner } = this.#running;
    const { callMeta } = spec;
    const parts = { server, tool, args, owner, callMeta, keeper, isToBeKept };
    const record = await makeRecord(parts, options, this.#settings);
    const taken = await this.#ledger.create(record);
    const call = taken === undefined ? this.#startCall(record) : await this.#joinExisting(taken, record);
    if (options.signal) this.#cancelOnAbort(call, options.signal);
    return options.ack === 'auto' ? withAutoAck(call) : call;
  }

  async endServer(server: string, callId: string): Promise<EndedServer> {
    this.#checkOpen();
    const isOther = ({ record }: CallLifecycle) => record.server === server && record.callId !== callId;
    return this.#servers.get(server).endServer(callId, () => this.#running.list().some(isOther));
  }

  async resume(options: ResumeOptions = {}): Promise<Call[]> {
    this.#checkOpen();
    // A misspelt `sessionId` would be ignored, and its caller would resume the calls of all sessions.
    refuseUnknownFields(options, RESUME_FIELDS);
    const { takeOver = false, ...filter } = options;
    const records = await this.#ledger.list({ ...filter, unacked: true, limit: 1_000_000 });
    return Promise.all(records.map((record) => this.#resumeOne(record, takeOver)));
  }

  async calls(filter: CallFilter = {}): Promise<CallRecord[]> {
    return (await this.#shown.list(filter)).map(withoutMark);
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
    const runner = this.#running.find(record.callId) ?? (await this.#running.claim(record, { takeOver }));
    if (runner) return toCall({ record, ledger, runner });
    return new OtherOwner({
      record,
      ledger,
      clock: this.#settings.clock,
      takeOver: (now) => this.#running.claim(now, { takeOver: false }),
      cancelWork: (server: string, handle: CallHandle) => cancelWork(handle, this.#servers.get(server), this.#settings),
    }).toCall();
  }

  #startCall(record: CallRecord): Call {
    const runner = this.#running.start(record, { isResumed: false });
    return toCall({ record, ledger: this.#ledger, runner });
  }

  /** Returns the existing call that has the same key. */
  async #joinExisting(callId: string, wanted: CallRecord): Promise<Call> {
    const record = await this.#ledger.get(callId);
    if (!record) throw new TaskError('CALL_NOT_FOUND', `call ${callId} was just forgotten; call again`);
    if (!isSameCall(record, wanted)) throw keyConflictError(record, wanted);
    return this.#resumeOne(record, false);
  }

  #cancelOnAbort(call: Call, signal: AbortSignal): void {
    const onAbort = () => {
      call.cancel(toReason(signal.reason)).catch(this.#settings.report);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const stop = () => signal.removeEventListener('abort', onAbort);
    call.outcome().then(stop, stop);
  }

  /** Returns the functions that reach servers through their keepers; none when keepers are off or the ledger is not a file. */
  #toKeeperOpeners(name: string): Pick<TransportOptions, 'openKept' | 'openKeptCalls'> {
    const { keeper, codec, dialects, maxAnswerBytes, connectMs, report } = this.#settings;
    const { path: ledger } = this.#ledger;
    if (keeper === false || ledger === undefined) return {};
    const canWrite = codec === undefined && !dialects.hasOwn;
    const options = { name, ledger, canWrite, maxAnswerBytes, connectMs, report, isRequested: keeper === true };
    // Loaded only when a server that needs a keeper is connected.
    const load = () => import('./keeper/open-kept-server.ts');
    return {
      openKept: async (spec) =>
        (await load()).openKeptServer({ ...options, spec, notes: this.#children.prepareKept(name) }),
      openKeptCalls: async (spec) => (await load()).openKeptCalls({ ...options, spec }),
    };
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
