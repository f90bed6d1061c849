/** Calls of jobs over HTTP, in both eras. */
import type { HoldfastServer, ServerOptions } from 'holdfast';
import { z } from 'zod';
import {
  type Frames,
  type HttpRig,
  type Message,
  openSession,
  post,
  postModern,
  readFrames,
  readJson,
} from '../open-http.ts';

export const JOB_META = 'holdfast/job';

export interface Report {
  readonly success: boolean;
  readonly data: { readonly job_id: string; readonly [key: string]: unknown };
  readonly messages: readonly object[];
}

/** A session of 2025-11-25. */
export interface JobSession {
  readonly headers: Record<string, string>;
  request(method: string, params: object, at?: string): Promise<Message>;
  /** Calls a tool as a job; its id. */
  begin(name: string, args?: object, at?: string): Promise<string>;
  /** Opens the standing stream. */
  listen(at?: string): Promise<Frames>;
}

export async function openJobSession(url: string): Promise<JobSession> {
  const headers = await openSession(url);
  let id = 0;
  const request: JobSession['request'] = async (method, params, at = url) => {
    id += 1;
    return readAnswer(await post(at, { body: { jsonrpc: '2.0', id, method, params }, headers }));
  };
  return {
    headers,
    request,
    async begin(name, args = {}, at = url) {
      const params = { name, arguments: args, _meta: { [JOB_META]: true } };
      return toReport((await request('tools/call', params, at)).result).data.job_id;
    },
    listen: async (at = url) => readFrames(await fetch(at, { headers: { ...headers, accept: 'text/event-stream' } })),
  };
}

/** One request of 2026-07-28. */
export async function askModern(url: string, request: Parameters<typeof postModern>[1]): Promise<Message> {
  return readAnswer(await postModern(url, request));
}

/** The answer, whether it is the body or comes on a stream. */
export function readAnswer(response: Response): Promise<Message> {
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  return isStream ? readFrames(response).message() : readJson(response);
}

/** The report inside the first answer of a job. */
export function toReport(result: Message['result']): Report {
  const report = result?.structuredContent as Report | undefined;
  if (report?.data?.job_id === undefined) throw new Error(`no job: ${JSON.stringify(result)}`);
  return report;
}

/** The next message of a method. */
export async function nextOf(frames: Frames, method: string): Promise<Message> {
  for (;;) {
    const message = await frames.message();
    if (message.method === method) return message;
  }
}

/** Serves the rig's tools and those that jobs are made of. */
export function serveJobs(rig: HttpRig, options: Partial<ServerOptions> = {}): Promise<string> {
  return rig.serve(options, addJobTools);
}

export function addJobTools(server: HoldfastServer): void {
  server.tool('fixed', { estimateMs: 45_000, run: () => 'done' });
  server.tool('sync', {
    input: z.object({ files: z.number() }),
    // 1 second per 100 files.
    estimateMs: ({ files }) => files * 10,
    run: ({ files }) => `${files} files`,
  });
  server.tool('broken', {
    run() {
      throw new Error('no ink');
    },
  });
  server.tool('required', { task: 'always', run: () => 'done' });
  server.tool('summary', { output: z.object({ pages: z.number() }), run: () => ({ pages: 12 }) });
}
