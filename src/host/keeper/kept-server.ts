/**
 * The server of a keeper: one process, until it and all that it started have ended.
 *
 * The host has started it beside the keeper, which has inherited its pipes and is not its parent: so that it has ended is seen
 * by the end of its output, and by a look at its pid now and then for the case that something else holds that open.
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

// As long as a host that lives gives its servers.
const GRACE_MS = 2000;
const LOOK_MS = 2000;
const LAST_LINES_MS = 1000;
// Its output has ended, so it has, or is about to.
const CLOSE_LOOK_MS = 20;
/** Where the keeper finds the pipes of the server. */
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
    // They break when the server does, which is told by its end.
    for (const stream of [this.#stdin, this.#stdout, this.#stderr]) stream.on('error', () => {});
    if (events) this.#listen(events);
  }

  get pid(): number {
    return this.#options.server.pid;
  }

  send(line: string): boolean {
    return this.#stdin.write(`${line}\n`);
  }

  /** The answer to something that the server asked; it gets no more when it does not read them. */
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

  /** Ends it with all that it started: its input ends, then it is asked, then it is killed. */
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

  /** Nobody tells a process of the end of one that is no child of its own. */
  #watch(everyMs: number, { onExit }: KeptPeerEvents): void {
    clearInterval(this.#look);
    const look = () => {
      if (!isGone(this.#options.server)) return;
      clearInterval(this.#look);
      // What it wrote last is read before; something that it started may hold its output for ever.
      if (this.#stdout.closed) onExit();
      else setTimeout(onExit, LAST_LINES_MS);
    };
    this.#look = setInterval(look, everyMs);
    look();
  }
}

/** Where a look at the table of processes takes a program of its own, the pid is enough: it is ours, and was just there. */
function isGone(server: ProcessRef): boolean {
  if (process.platform === 'linux') return isAlive(server) === false;
  try {
    process.kill(server.pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
