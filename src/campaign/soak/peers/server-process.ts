import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { TaskError } from '../../../errors.ts';
import { isObject } from '../../../is-object.ts';
import { endGroup, spawnGated } from '../../../process/process-group.ts';
import type { ProcessRef } from '../../../process/process-ref.ts';
import type { Json } from '../../../task/json.ts';
import { toPlainText } from '../../../text/plain-text.ts';

import type { HttpPlace } from './http-connection.ts';

export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
  /** The complete environment. */
  readonly env: NodeJS.ProcessEnv;
}

/** A server that this campaign started, in a process group of its own. */
export interface ServerProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ref: ProcessRef;
  /** Resolves when the process ends, for any reason, with its exit code or signal. */
  readonly ended: Promise<string>;
  readonly isRunning: boolean;
  /** The last part of its stderr output, on one line. */
  stderr(): string;
  /** Kills it and all its descendants at once. */
  kill(): Promise<void>;
  /** Ends it as its client would: closes stdin, then sends a signal after a grace period. */
  stop(): Promise<void>;
}

/** How much of a server's stderr is kept, to show why it did not start. */
const STDERR_CHARS = 400;
const STOP_GRACE_MS = 2000;

/** Starts a server; throws `SPAWN_FAILED` when there is no such program. */
export async function startServer({ command, args, env }: CommandLine): Promise<ServerProcess> {
  const { child, ref, release } = await spawnGated(command, args, { env });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_CHARS);
  });
  // An exited server does not read; `ended` reports its exit.
  child.stdin.on('error', () => undefined);
  let isRunning = true;
  const ended = once(child, 'exit').then(([code, signal]) => {
    isRunning = false;
    return signal === null ? `exit code ${code}` : String(signal);
  });
  release();
  return {
    child,
    ref,
    ended,
    get isRunning() {
      return isRunning;
    },
    stderr: () => toPlainText(stderr.trim()),
    async kill() {
      await endGroup(ref, { graceMs: 0 });
      await ended;
    },
    async stop() {
      child.stdin.end();
      await endGroup(ref, { graceMs: STOP_GRACE_MS });
    },
  };
}

/** Reads the URL that a server prints when it listens: alone on a line, or as `{"url", "token"}`. */
export async function readPlace(server: ServerProcess, timeoutMs: number): Promise<HttpPlace> {
  const lines = createInterface(server.child.stdout);
  try {
    const found = new Promise<HttpPlace>((resolve) => {
      lines.on('line', (line) => {
        const place = parsePlace(line);
        if (place) resolve(place);
      });
    });
    const place = await Promise.race([found, server.ended, wait(timeoutMs)]);
    if (typeof place === 'object') return place;
    throw notStartedError(server, place ?? `no URL on its stdout within ${timeoutMs / 1000} s`);
  } finally {
    lines.close();
    // Later output must not fill the pipe.
    server.child.stdout.resume();
  }
}

/** Creates an error that the server did not start, with its stderr output. */
export function notStartedError(server: ServerProcess, why: string): TaskError {
  const said = server.stderr();
  return new TaskError('CONNECT_FAILED', `the server did not start: ${why}${said && `; it said: ${said}`}`);
}

function parsePlace(line: string): HttpPlace | undefined {
  if (/^https?:\/\/\S+$/.test(line.trim())) return { url: line.trim() };
  try {
    const value: unknown = JSON.parse(line);
    if (!isObject<Json>(value) || typeof value.url !== 'string') return undefined;
    return { url: value.url, ...(value.token && { headers: { authorization: `Bearer ${String(value.token)}` } }) };
  } catch {
    return undefined;
  }
}

function wait(ms: number): Promise<undefined> {
  return new Promise((resolve) => void setTimeout(() => resolve(undefined), ms).unref());
}
