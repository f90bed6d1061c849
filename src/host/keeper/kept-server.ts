/** The server of a keeper: one process, from its start until it and all that it started have ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { FrameOutline } from '../../dialects/shared/bytes/frame-outline.ts';
import { LineReader } from '../../dialects/shared/bytes/line-reader.ts';
import { HOST_SKIPPED_TIMES } from '../../limits.ts';
import { currentSession, endMarked, MARK_VARIABLE } from '../../process/marked-processes.ts';
import { toProcessRef } from '../../process/process-ref.ts';
import { OpenAnswers } from '../transports/open-answers.ts';
import { readAnswered } from '../transports/too-large.ts';
import type { KeeperOrder, KeptProgram } from './keeper-order.ts';
import type { KeptPeer, KeptPeerEvents } from './kept-peer.ts';

// As long as a host that lives gives its servers.
const GRACE_MS = 2000;
const LAST_LINES_MS = 1000;

export interface KeptServerOptions extends Pick<KeeperOrder, 'mark' | 'maxAnswerBytes'> {
  readonly program: KeptProgram;
}

export class KeptServer implements KeptPeer {
  readonly #order: KeptServerOptions;
  readonly #child: ChildProcess;
  readonly #answers = new OpenAnswers();
  readonly started: Promise<number>;

  constructor(order: KeptServerOptions, events: KeptPeerEvents) {
    this.#order = order;
    const { mark } = order;
    const { command, args, cwd, env } = order.program;
    this.#child = spawn(command, args, {
      cwd,
      env: { ...env, [MARK_VARIABLE]: mark },
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    this.started = once(this.#child, 'spawn').then(() => this.#child.pid ?? 0);
    this.started.catch(() => {});
    this.#listen(events);
  }

  send(line: string): boolean {
    return this.#child.stdin?.write(`${line}\n`) ?? true;
  }

  /** The answer to something that the server asked; it gets no more when it does not read them. */
  sendAnswer(line: string): void {
    const write = () =>
      new Promise<void>((resolve) => {
        this.#child.stdin?.write(`${line}\n`, () => resolve());
      });
    this.#answers.send(write).catch(() => {});
  }

  pause(): void {
    this.#child.stdout?.pause();
  }

  resume(): void {
    this.#child.stdout?.resume();
  }

  /** Ends it with all that it started: its input ends, then it is asked, then it is killed. */
  async end(): Promise<void> {
    const { pid, stdin } = this.#child;
    stdin?.end();
    if (pid === undefined) return;
    const session = currentSession();
    await endMarked({ mark: this.#order.mark, session, ref: toProcessRef(pid) }, { graceMs: GRACE_MS });
  }

  #listen(events: KeptPeerEvents): void {
    const { maxAnswerBytes } = this.#order;
    const { stdin, stdout, stderr } = this.#child;
    const reader = new LineReader<unknown>({
      maxLineBytes: maxAnswerBytes,
      onLine: (line) => events.onLine(line.toString('utf8').replace(/\r$/, '')),
      onOversized: (outline, bytes) => {
        const id = readAnswered(outline);
        events.onOversized(typeof id === 'number' ? id : undefined, bytes);
      },
      createOutline: () => new FrameOutline(),
    });
    stdout?.on('data', (chunk: Buffer) => {
      reader.push(chunk);
      if (reader.skippedBytes > HOST_SKIPPED_TIMES * maxAnswerBytes) events.onEndless(reader.skippedBytes);
    });
    stderr?.setEncoding('utf8').on('data', (text: string) => events.onStderr(text));
    // It breaks when the server does, which is told by its end.
    for (const stream of [stdin, stdout, stderr]) stream?.on('error', () => {});
    stdin?.on('drain', () => events.onDrain());
    this.#child.on('error', () => {});
    // What it wrote last is read before; something that it started may hold its output for ever.
    this.#child.once('close', () => events.onExit());
    this.#child.once('exit', () => setTimeout(() => events.onExit(), LAST_LINES_MS).unref());
  }
}
