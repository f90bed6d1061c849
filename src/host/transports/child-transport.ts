import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { toChildEnvironment } from '../../process/child-environment.ts';
import { AnswerBuffer, type AnswerBufferOptions } from './answer-buffer.ts';
import { OpenAnswers } from './open-answers.ts';
import { relayStderr, toStderrMode } from './relay-stderr.ts';
import type { StdioSpec } from './server-spec.ts';

/** One child process of a host: its environment, and callbacks for its start and its exit. */
export interface HostChild {
  /** Environment variables that the child must get. */
  readonly env: Readonly<Record<string, string>>;
  /** Resolves when the child's note is on disk: then it may be started. */
  starts(): Promise<void>;
  runs(pid: number): void;
  ends(): void;
}

export interface ChildTransportOptions extends AnswerBufferOptions {
  /** Notes the child, so that other hosts can find it. */
  readonly child: HostChild;
}

/**
 * A server as a child process, with limits on how much memory its messages can use.
 *
 * A subclass, because the SDK starts a server twice to probe its own class, and probes a subclass in place.
 */
export class ChildTransport extends StdioClientTransport {
  readonly #answers = new OpenAnswers();
  readonly #child: HostChild;

  constructor(spec: StdioSpec, { child, ...limits }: ChildTransportOptions) {
    const { command, args = [], cwd, stderr = 'inherit' } = spec;
    super({
      command,
      args: [...args],
      stderr: toStderrMode(stderr),
      env: { ...toChildEnvironment(spec), ...child.env },
      ...(cwd !== undefined && { cwd }),
    });
    this.#child = child;
    if (this.stderr) relayStderr(this.stderr as Readable);
    // The SDK's own buffer closes the connection, with all its calls, at the first line that is too long.
    Object.assign(this, { _readBuffer: new AnswerBuffer(limits) });
  }

  override async start(): Promise<void> {
    // On disk before the process exists: if this process is killed at any point, the next host finds the child.
    await this.#child.starts();
    try {
      await super.start();
    } catch (error) {
      this.#child.ends();
      throw error;
    }
    const { _process: process } = this as unknown as { readonly _process?: ChildProcess };
    if (process?.pid === undefined) return this.#child.ends();
    // Listens on the child process itself: the SDK drops its reference before the process has exited.
    process.once('exit', () => this.#child.ends());
    this.#child.runs(process.pid);
  }

  override send(message: JSONRPCMessage): Promise<void> {
    // Our own requests are not counted: each has a caller that waits for it.
    return 'method' in message ? super.send(message) : this.#answers.send(() => super.send(message));
  }
}
