/** A host and an app that answers through the log of prompts, for several tests. */
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Call, type CallOptions, createHost, type Host, type HostOptions } from 'holdfast/host';
import { until } from 'holdfast/testing';
import type { RequestEntry } from '../../../src/dialects/ui-prompts/wire.ts';
import { killServers } from '../../host/servers/kill-servers.ts';
import { programPath } from '../../programs/program-path.js';

const ASYNC_TASK = { tools: ['app_run', 'app_again'], taskIdKey: 'taskId', resultSource: 'ui_prompts' };

export interface PromptApp {
  readonly dir: string;
  readonly log: string;
  readonly host: Host;
  /** Calls the app, and returns when it has acknowledged the call. */
  call(gate: string, options?: CallOptions & { readonly args?: object; readonly tool?: string }): Promise<Call>;
  /** Names the app once more, as a server of which nobody says that it answers through the log. */
  connectBare(): Promise<void>;
  open(gate: string): Promise<void>;
  /** Waits until a tool has noted this. */
  untilNoted(line: string): Promise<void>;
  notes(): Promise<string[]>;
  /** The requests in the log that have this id. */
  entries(requestId: string): Promise<RequestEntry[]>;
  /** Ends every process of the app with SIGKILL, also its worker. */
  kill(): void;
  close(): Promise<void>;
}

export async function openPromptApp(program: string, options: HostOptions = {}): Promise<PromptApp> {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-app-'));
  await appendFile(join(dir, 'runs.txt'), '');
  const host = await createHost({ ledger: join(dir, 'state', 'host.db'), onError: () => {}, ...options });
  const path = programPath(`${program}.js`);
  const command = { command: process.execPath, args: [path, dir], passEnv: ['HOLDFAST_TEST_FILE'] };
  await host.connect('app', { ...command, callMeta: { asyncTask: ASYNC_TASK } });
  const log = join(dir, 'state', 'ui-prompts.jsonl');
  const notes = async () => (await readFile(join(dir, 'runs.txt'), 'utf8')).split('\n');
  const isAcked = async (callId: string) =>
    (await host.calls()).some((call) => call.callId === callId && call.handle?.isAcked === true);
  return {
    dir,
    log,
    host,
    async call(gate, { args = {}, tool = 'app_run', ...more } = {}) {
      const call = await host.call('app', tool, { gate, ...args }, more);
      await until(() => isAcked(call.callId), { what: 'the acknowledgement', timeoutMs: 60_000 });
      return call;
    },
    connectBare: () => host.connect('bare', command),
    open: (gate) => writeFile(join(dir, `open-${gate}`), ''),
    notes,
    async untilNoted(line) {
      await until(async () => (await notes()).includes(line), { what: `the note ${line}`, timeoutMs: 60_000 });
    },
    async entries(requestId) {
      const lines = (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '');
      const entries = lines.map((line) => JSON.parse(line) as RequestEntry);
      return entries.filter((entry) => entry.requestId === requestId && entry.action === 'request');
    },
    kill: () => void killServers(program, dir),
    async close() {
      await host.close();
      // A worker that outlives its server may still be writing.
      await until(() => rm(dir, { recursive: true, force: true }).then(() => true), { timeoutMs: 60_000 });
    },
  };
}
