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
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv;
}

/** A server that this campaign started, in a process group of its own. */
export interface ServerProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ref: ProcessRef;
  /** Resolves with how it ended, whoever ended it. */
  readonly ended: Promise<string>;
  readonly isRunning: boolean;
  /** The end of what it wrote on stderr, on one line. */
  stderr(): string;
  /** Ends it and all it started, at once. */
  kill(): Promise<void>;
  /** Ends it as its client would: stdin is closed, and a signal comes after a while. */
  stop(): Promise<void>;
}

/** What is kept of a server's stderr, to say why it did not start. */
const STDERR_CHARS = 400;
const STOP_GRACE_MS = 2000;

/** Starts a server; throws `SPAWN_FAILED` when there is no such program. */
export async function startServer({ command, args, env }: CommandLine): Promise<ServerProcess> {
  const { child, ref, release } = await spawnGated(command, args, { env });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_CHARS);
  });
  // A server that has gone does not read; its end is told by `ended`.
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

/** The URL that a server prints when it listens: alone on a line, or as `{"url", "token"}`. */
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
    // What it prints later must not fill the pipe.
    server.child.stdout.resume();
  }
}

/** Says that a server is of no use, with its own words. */
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
