/** A client of jobs that keeps everything it hears, in order. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { until } from 'holdfast/testing';
import { onTestFinished } from 'vitest';
import { programPath } from '../programs/program-path.js';
import type { Site } from './site.ts';

const PROGRAM = programPath('jobs-server.js');

export interface Heard {
  readonly id?: number;
  readonly method?: string;
  readonly params?: JobParams;
  readonly result?: { readonly [key: string]: unknown };
  readonly error?: { readonly code: number; readonly message: string };
}

export interface JobParams {
  readonly job_id: string;
  readonly progress?: number;
  readonly message?: string;
  readonly timestamp: string;
  readonly estimated_remaining_seconds?: number;
  readonly result?: Report;
}

export interface Report {
  readonly success: boolean;
  readonly data: { readonly [key: string]: unknown };
  readonly messages: readonly { readonly type: string; readonly text: string; readonly details?: string }[];
}

export interface JobClient {
  /** Everything that came in, in order. */
  readonly heard: readonly Heard[];
  /** What the server printed on stderr. */
  stderr(): string;
  send(message: object): void;
  /** Sends a request; its answer. */
  request(method: string, params?: object): Promise<Heard>;
  /** Calls a tool as a job; its id. */
  begin(name: string, args?: object): Promise<string>;
  /** What was told of a job, in order, once its result is there. */
  untilEnd(jobId: string): Promise<readonly Heard[]>;
  /** Its result. */
  end(jobId: string): Promise<Report>;
  /** Closes stdin; resolves when the server has ended. */
  close(): Promise<void>;
}

/** How a client starts the server. */
export function toCommand({ dir }: Site, options: object = {}) {
  return { command: process.execPath, args: [PROGRAM, dir, JSON.stringify(options)], stderr: 'inherit' as const };
}

const HANDSHAKE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
};

/** Spawns the server and shakes hands. */
export async function openJobs(site: Site, options: object = {}): Promise<JobClient> {
  const { command, args } = toCommand(site, options);
  const child = spawn(command, args, { stdio: 'pipe' });
  const exit = once(child, 'exit');
  const heard: Heard[] = [];
  let stderr = '';
  createInterface({ input: child.stdout }).on('line', (line) => heard.push(JSON.parse(line) as Heard));
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdin.on('error', () => {});
  const close = async () => {
    child.stdin.end();
    await exit;
  };
  onTestFinished(close);
  const client = toClient(heard, (message) => void child.stdin.write(`${JSON.stringify(message)}\n`));
  await client.request('initialize', HANDSHAKE);
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return { ...client, stderr: () => stderr, close };
}

function toClient(heard: readonly Heard[], send: (message: object) => void): Omit<JobClient, 'stderr' | 'close'> {
  let lastId = 0;
  const about = (jobId: string) => heard.filter(({ params }) => params?.job_id === jobId);
  const isEnd = ({ method }: Heard) => method === 'notifications/tool_result';
  const request: JobClient['request'] = (method, params = {}) => {
    lastId += 1;
    const id = lastId;
    send({ jsonrpc: '2.0', id, method, params });
    const what = `the answer to ${method}`;
    return until(() => heard.find((one) => one.id === id && one.method === undefined), { what, timeoutMs: 60_000 });
  };
  const untilEnd: JobClient['untilEnd'] = async (jobId) => {
    await until(() => about(jobId).some(isEnd), { what: `the end of job ${jobId}`, timeoutMs: 60_000 });
    return about(jobId);
  };
  return {
    heard,
    send,
    request,
    async begin(name, args = {}) {
      const { result, error } = await request('tools/call', {
        name,
        arguments: args,
        _meta: { 'holdfast/job': 'bare' },
      });
      if (error) throw new Error(error.message);
      return toJobId(result);
    },
    untilEnd,
    async end(jobId) {
      const { params } = (await untilEnd(jobId)).find(isEnd) as Heard;
      return params?.result as Report;
    },
  };
}

/** The id in a first answer that is the bare object. */
export function toJobId(result: Heard['result']): string {
  const { job_id } = (result?.data ?? {}) as { job_id?: string };
  if (job_id === undefined) throw new Error(`no job: ${JSON.stringify(result)}`);
  return job_id;
}
