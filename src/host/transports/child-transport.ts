import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { toChildEnvironment } from '../../process/child-environment.ts';
import { AnswerBuffer, type AnswerBufferOptions } from './answer-buffer.ts';
import { OpenAnswers } from './open-answers.ts';
import { relayStderr, toStderrMode } from './relay-stderr.ts';
import type { StdioSpec } from './server-spec.ts';

/** One child, from before its start until its end. */
export interface HostChild {
  /** What its environment must hold. */
  readonly env: Readonly<Record<string, string>>;
  /** Resolves when its note is on disk: it may be started. */
  starts(): Promise<void>;
  runs(pid: number): void;
  ends(): void;
}

export interface ChildTransportOptions extends AnswerBufferOptions {
  /** How others learn of the child. */
  readonly child: HostChild;
}

/**
 * A server as a child process, with limits on what it can make us keep.
 *
 * A class of its own is probed in place; the SDK starts a server twice to probe its own class.
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
    // The SDK's own buffer ends the connection, with all its calls, at the first line that is too long.
    Object.assign(this, { _readBuffer: new AnswerBuffer(limits) });
  }

  override async start(): Promise<void> {
    // On disk before there is a process: whenever this one is killed, somebody knows of the child.
    await this.#child.starts();
    try {
      await super.start();
    } catch (error) {
      this.#child.ends();
      throw error;
    }
    const { _process: process } = this as unknown as { readonly _process?: ChildProcess };
    if (process?.pid === undefined) return this.#child.ends();
    // Told by the process itself: the SDK forgets it before it has ended.
    process.once('exit', () => this.#child.ends());
    this.#child.runs(process.pid);
  }

  override send(message: JSONRPCMessage): Promise<void> {
    // Requests of ours are not counted: somebody waits for each of them.
    return 'method' in message ? super.send(message) : this.#answers.send(() => super.send(message));
  }
}
