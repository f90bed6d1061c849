/**
 * A client of somebody who knows the published description of two-stage tools and nothing else: not the handshake of
 * MCP, not tool results, nothing of this project. It sends requests as lines and believes what the description shows.
 */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import { until } from 'holdfast/testing';

export interface McpResult {
  readonly success: boolean;
  readonly data: { readonly [key: string]: unknown };
  readonly messages: readonly { readonly type: string; readonly text: string; readonly details?: string }[];
}

interface JobNews {
  readonly job_id: string;
  readonly progress?: number;
  readonly message?: string;
  readonly result?: McpResult;
  readonly timestamp: string;
}

interface Line {
  readonly id?: number;
  readonly method?: string;
  readonly params?: JobNews;
  readonly result?: McpResult;
}

const PATIENT = { timeoutMs: 60_000 } as const;

export class SeedClient {
  readonly lines: Line[] = [];
  readonly #server: ChildProcessWithoutNullStreams;
  #lastId = 0;

  constructor(server: ChildProcessWithoutNullStreams) {
    this.#server = server;
    createInterface({ input: server.stdout }).on('line', (line) => this.lines.push(JSON.parse(line) as Line));
  }

  async request(method: string, params: object): Promise<McpResult> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const { result } = await until(() => this.lines.find((line) => line.id === id), PATIENT);
    if (!result) throw new Error(`${method} failed: ${JSON.stringify(this.lines.at(-1))}`);
    return result;
  }

  /** Stage 1, or the result itself of a tool that is fast. */
  call(name: string, args: object = {}): Promise<McpResult> {
    return this.request('tools/call', { name, arguments: args });
  }

  /** Stages 2 and 3 of a job. */
  async follow(jobId: unknown): Promise<{ readonly progress: readonly JobNews[]; readonly result: McpResult }> {
    const mine = (method: string) => {
      const news = this.lines.filter((line) => line.method === method).flatMap(({ params }) => params ?? []);
      return news.filter(({ job_id }) => job_id === jobId);
    };
    const ended = await until(() => mine('notifications/tool_result')[0], PATIENT);
    if (!ended.result) throw new Error('a result without a result');
    return { progress: mine('notifications/progress'), result: ended.result };
  }
}
