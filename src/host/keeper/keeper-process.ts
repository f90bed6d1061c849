/**
 * The keeper of one server: a separate process, so that neither the server nor the responses to its calls are lost with the host
 * that made the calls.
 *
 * - starting: it waits for its order; the server, which the host has started beside it, is loading too.
 * - serving:  hosts connect and disconnect; the keeper only passes messages between them and the server.
 * - alone:    no host is connected, and calls are open: their responses are written to the ledger.
 * - ending:   no host is connected and no call is open, or the ledger is gone, or the server has ended.
 */
import { chmod, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { currentProcess, toProcessRef } from '../../process/process-ref.ts';
import type { KeptCall } from '../transports/keeping-transport.ts';
import { parseJson, toStderrFrame } from './frames.ts';
import { HostSocket } from './host-socket.ts';
import { HostlessMonitor } from './hostless-monitor.ts';
import { removeOldEnds, writeKeeperEnd } from './keeper-end.ts';
import type { KeeperOrder } from './keeper-order.ts';
import { removeKeeperNote, writeKeeperNote } from './keeper-place.ts';
import type { KeptPeer, KeptPeerEvents } from './kept-peer.ts';
import { KeptServer } from './kept-server.ts';
import { LedgerFile } from './ledger-file.ts';
import { Relay, type RelayOptions } from './relay/relay.ts';

// Characters of stderr output that are kept until the first host connects.
const MAX_EARLY_STDERR = 65_536;
// The host that starts a keeper connects at once.
const FIRST_HOST_MS = 10_000;

async function main(): Promise<void> {
  const order = parseJson(await text(process.stdin)) as KeeperOrder | undefined;
  if (!order) return endOrphan(process.argv.slice(2));
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  const keeper = new Keeper(order, await loadPeer(order));
  process.on('SIGTERM', () => void keeper.end());
  await keeper.start();
  process.stdout.on('error', () => keeper.stopWaitingForFirstHost()).end('ready\n');
}

/** The host was killed before it sent the order; the server has not been used. */
async function endOrphan([mark, pid]: readonly string[]): Promise<void> {
  if (mark === undefined) return;
  const server = new KeptServer({ mark, server: toProcessRef(Number(pid)), maxAnswerBytes: 0 });
  await server.end();
  process.exit();
}

type OpenPeer = (events: KeptPeerEvents) => KeptPeer;

/** A server on stdio needs no SDK, and starts faster without it. */
async function loadPeer(order: KeeperOrder): Promise<OpenPeer> {
  const { server } = order;
  if (server) return (events) => new KeptServer({ ...order, server }, events);
  const { KeptHttp } = await import('./kept-http.ts');
  return (events) => new KeptHttp(order, events);
}

class Keeper {
  readonly #order: KeeperOrder;
  readonly #server: KeptPeer;
  readonly #relay: Relay;
  readonly #hosts = new Set<HostSocket>();
  readonly #listener: Server;
  #writer: ReturnType<typeof import('./write-answer.ts').openAnswerWriter> | undefined;
  readonly #hostlessMonitor: HostlessMonitor;
  #ending: Promise<void> | undefined;
  #earlyStderr = '';
  #hasHadHosts = false;
  #hasLostHosts = false;
  /** Whether the server has ended. */
  #hasServerEnded = false;

  constructor(order: KeeperOrder, openPeer: OpenPeer) {
    this.#order = order;
    this.#relay = new Relay({
      toServer: (line, call) => this.#toServer(line, call),
      answerServer: (line) => this.#server.sendAnswer(line),
      write: (call, answer) => this.#write(call, answer).catch(() => 'failed'),
      onChange: () => this.#checkIdle(),
      endServer: () => void this.end(),
    });
    const ledger = new LedgerFile(order.ledger);
    this.#hostlessMonitor = new HostlessMonitor({
      isLedgerGone: () => ledger.isGone(),
      retryWrites: () => this.#relay.retryWrites(),
      dropEnded: () => void this.#dropEnded().catch(() => {}),
      onAbandoned: () => void this.end(),
    });
    this.#server = openPeer({
      onLine: (line, callId) => this.#relay.fromServer(line, callId),
      onFailed: (id, failure) => this.#relay.failed(id, failure),
      onOversized: (id, bytes) => this.#relay.oversized(id, { bytes, maxBytes: order.maxAnswerBytes }),
      onEndless: (bytes) => this.#endForEndlessLine(bytes),
      onStderr: (said) => this.#forwardStderr(said),
      onExit: () => {
        this.#hasServerEnded = true;
        for (const client of this.#relay.clients) client.sendControl({ word: 'exited' });
        // The host that started the keeper must connect first, so that it is notified.
        if (this.#hasHadHosts) void this.end();
      },
      onDrain: () => {
        for (const host of this.#hosts) host.resume();
      },
    });
    this.#listener = createServer((socket) => {
      const host = new HostSocket(socket, {
        order,
        relay: this.#relay,
        pid: this.#server.pid,
        isEnding: () => this.#ending !== undefined,
        onBusy: () => this.#server.pause(),
        onDrained: () => {
          if (![...this.#hosts].some(({ isBusy }) => isBusy)) this.#server.resume();
        },
        onAuthenticated: () => {
          this.#hasHadHosts = true;
          if (this.#earlyStderr !== '') host.send(toStderrFrame(this.#earlyStderr));
          this.#earlyStderr = '';
          if (this.#hasServerEnded) void this.end();
        },
        onClose: (isOrderly) => {
          this.#hosts.delete(host);
          this.#hasLostHosts ||= !isOrderly;
          this.#checkIdle();
        },
      });
      this.#hosts.add(host);
    });
  }

  async start(): Promise<void> {
    const { socket, token, note } = this.#order;
    await rm(socket, { force: true });
    await new Promise<void>((resolve, reject) => {
      this.#listener.once('error', reject);
      this.#listener.listen(socket, resolve);
    });
    await chmod(socket, 0o600);
    await writeKeeperNote(note, { socket, token, process: currentProcess() });
    removeOldEnds(dirname(note), Date.now()).catch(() => {});
    setTimeout(() => this.stopWaitingForFirstHost(), FIRST_HOST_MS).unref();
  }

  /** Called when the host that started the keeper was killed before it connected, or does not connect. */
  stopWaitingForFirstHost(): void {
    this.#hasHadHosts = true;
    this.#checkIdle();
  }

  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    const { socket, token, note } = this.#order;
    this.#listener.close();
    await this.#server.end();
    await this.#relay.whenWritten();
    await Promise.all([...this.#hosts].map((host) => host.endWithNotice()));
    const steps = [
      async () => this.#hasLostHosts && writeKeeperEnd(dirname(note), this.#order.keeper, this.#relay.unfinished),
      async () => (await this.#writer)?.close(),
      () => removeKeeperNote(note, { socket, token, process: currentProcess() }),
    ];
    // The keeper's directory may be gone: it ends even if a step fails.
    for (const step of steps) await step().catch(() => {});
    process.exit();
  }

  /**
   * Ends the keeper when no host is connected and no call is open; while calls are open without a host, waits only as long as one
   * can come.
   */
  #checkIdle(): void {
    const isHostConnecting = [...this.#hosts].some(({ isAuthenticating }) => isAuthenticating);
    if (this.#relay.isIdle && this.#hasHadHosts && !isHostConnecting) void this.end();
    if (!this.#relay.isHostless) this.#hostlessMonitor.stop();
    else if (this.#hasHadHosts) this.#hostlessMonitor.start();
  }

  #toServer(line: string, call?: KeptCall): void {
    if (this.#server.send(line, call)) return;
    for (const host of this.#hosts) host.pause();
  }

  /** Drops calls that were ended without the keeper, such as by a cancel while the server was not connected. */
  async #dropEnded(): Promise<void> {
    const writer = await this.#openWriter();
    for (const callId of this.#relay.unattended) if (await writer.hasEnded(callId)) this.#relay.forget(callId);
  }

  async #write(...[call, answer]: Parameters<RelayOptions['write']>): ReturnType<RelayOptions['write']> {
    if (!this.#order.canWrite || call.context === undefined) return 'left';
    return (await this.#openWriter()).write(call, answer);
  }

  #openWriter() {
    const { ledger } = this.#order;
    this.#writer ??= import('./write-answer.ts').then(({ openAnswerWriter }) => openAnswerWriter(ledger));
    this.#writer.catch(() => {
      this.#writer = undefined;
    });
    return this.#writer;
  }

  #endForEndlessLine(bytes: number): void {
    for (const client of this.#relay.clients) client.sendControl({ word: 'endless', bytes });
    void this.end();
  }

  #forwardStderr(said: string): void {
    if (this.#hasHadHosts) for (const host of this.#hosts) host.send(toStderrFrame(said));
    else this.#earlyStderr = (this.#earlyStderr + said).slice(-MAX_EARLY_STDERR);
  }
}

await main();
