/**
 * The server of a keeper: one process, until it and every process it started have ended.
 *
 * The host has started it beside the keeper, which inherited its pipes and is not its parent. So its exit is detected by the end
 * of its output, and by polling its pid in case another process holds the output open.
 */
import { Socket } from 'node:net';
import { FrameOutline } from '../../dialects/shared/bytes/frame-outline.ts';
import { LineReader } from '../../dialects/shared/bytes/line-reader.ts';
import { HOST_SKIPPED_TIMES } from '../../limits.ts';
import { endMarked } from '../../process/marked-processes.ts';
import { isAlive, type ProcessRef } from '../../process/process-ref.ts';
import { OpenAnswers } from '../transports/open-answers.ts';
import { readAnswered } from '../transports/too-large.ts';
import type { KeeperOrder } from './keeper-order.ts';
import type { KeptPeer, KeptPeerEvents } from './kept-peer.ts';

// The same grace period as a live host gives its servers.
const GRACE_MS = 2000;
const LOOK_MS = 2000;
const LAST_LINES_MS = 1000;
// Its output has ended, so the server has exited or is about to.
const CLOSE_LOOK_MS = 20;
/** The file descriptors of the server's pipes in the keeper. */
const [STDIN, STDOUT, STDERR] = [3, 4, 5];

export interface KeptServerOptions extends Pick<KeeperOrder, 'mark' | 'maxAnswerBytes'> {
  readonly server: ProcessRef;
}

export class KeptServer implements KeptPeer {
  readonly #options: KeptServerOptions;
  readonly #stdin = new Socket({ fd: STDIN, readable: false });
  readonly #stdout = new Socket({ fd: STDOUT, writable: false });
  readonly #stderr = new Socket({ fd: STDERR, writable: false });
  readonly #answers = new OpenAnswers();
  #look: NodeJS.Timeout | undefined;

  constructor(options: KeptServerOptions, events?: KeptPeerEvents) {
    this.#options = options;
    // The pipes break when the server exits, which is reported by `onExit`.
    for (const stream of [this.#stdin, this.#stdout, this.#stderr]) stream.on('error', () => {});
    if (events) this.#listen(events);
  }

  get pid(): number {
    return this.#options.server.pid;
  }

  send(line: string): boolean {
    return this.#stdin.write(`${line}\n`);
  }

  /** Sends the answer to a question of the server, unless too many of its answers are unread. */
  sendAnswer(line: string): void {
    const write = () => new Promise<void>((resolve) => this.#stdin.write(`${line}\n`, () => resolve()));
    this.#answers.send(write).catch(() => {});
  }

  pause(): void {
    this.#stdout.pause();
  }

  resume(): void {
    this.#stdout.resume();
  }

  /** Ends the server and every process it started: closes its stdin, then sends SIGTERM, then SIGKILL. */
  async end(): Promise<void> {
    const { mark, server: ref } = this.#options;
    clearInterval(this.#look);
    this.#stdin.end();
    await endMarked({ mark, session: ref.pid, ref }, { graceMs: GRACE_MS });
  }

  #listen(events: KeptPeerEvents): void {
    const { maxAnswerBytes } = this.#options;
    const reader = new LineReader<unknown>({
      maxLineBytes: maxAnswerBytes,
      onLine: (line) => events.onLine(line.toString('utf8').replace(/\r$/, '')),
      onOversized: (outline, bytes) => {
        const id = readAnswered(outline);
        events.onOversized(typeof id === 'number' ? id : undefined, bytes);
      },
      createOutline: () => new FrameOutline(),
    });
    this.#stdout.on('data', (chunk: Buffer) => {
      reader.push(chunk);
      if (reader.skippedBytes > HOST_SKIPPED_TIMES * maxAnswerBytes) events.onEndless(reader.skippedBytes);
    });
    this.#stderr.setEncoding('utf8').on('data', (text: string) => events.onStderr(text));
    this.#stdin.on('drain', () => events.onDrain());
    this.#watch(LOOK_MS, events);
    this.#stdout.once('close', () => this.#watch(CLOSE_LOOK_MS, events));
  }

  /** Polls, because the system notifies only the parent of a process of its exit. */
  #watch(everyMs: number, { onExit }: KeptPeerEvents): void {
    clearInterval(this.#look);
    const look = () => {
      if (!isGone(this.#options.server)) return;
      clearInterval(this.#look);
      // Its last output is read first; a process that it started may hold that open for ever.
      if (this.#stdout.closed) onExit();
      else setTimeout(onExit, LAST_LINES_MS);
    };
    this.#look = setInterval(look, everyMs);
    look();
  }
}

/** Where reading the process table needs another program, the pid alone is checked: it is ours, and existed a moment ago. */
function isGone(server: ProcessRef): boolean {
  if (process.platform === 'linux') return isAlive(server) === false;
  try {
    process.kill(server.pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
