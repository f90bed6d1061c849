/** Any client with any server: every dialect on one side of a gateway, with every dialect on the other. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createTaskClient, openSqliteStore, type Store, type TaskClient } from 'holdfast';
import { until } from 'holdfast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programPath } from '../programs/program-path.js';
import { readLines } from '../read-lines.ts';
import { share } from '../share.ts';
import { type CellClient, openCellClients } from './cell-clients.ts';
import { foreign } from './open-gateway.ts';

interface ServerRow {
  readonly dialect: string;
  readonly tool: string;
  /** Arguments of a call that waits at a gate. */
  args(gate: string): object;
  /** What the server notes of such a call. */
  note(gate: string): string;
  text(gate: string): string;
  /** What it says on the way. */
  readonly progress?: (gate: string) => string;
  /** A tool that asks a name. */
  readonly asks?: { readonly tool: string; args(gate: string): object; text(gate: string): string };
  /** How its note of a cancel begins, where it makes one. */
  readonly cancelled?: string;
  /** What the outcome says of how its work was stopped. */
  readonly stopped: RegExp;
}

const STOPPED = /^upstream \w+ has stopped it$/;
const ENDED = /^upstream \w+ (was told and did not answer|did not take the cancel); its process .* was ended$/;

const ROWS: readonly ServerRow[] = [
  {
    dialect: 'plain',
    tool: 'plain_hold',
    args: (gate) => ({ gate }),
    note: (gate) => `hold ${gate}`,
    text: (gate) => `${gate} is open`,
    progress: (gate) => `hold ${gate}`,
    asks: { tool: 'plain_ask', args: (gate) => ({ gate }), text: (gate) => `${gate} is Ada` },
    cancelled: 'told notifications/cancelled',
    stopped: ENDED,
  },
  {
    dialect: 'tasks2026',
    tool: 'wait',
    args: (gate) => ({ gate }),
    note: (gate) => `wait ${gate} 1`,
    text: (gate) => `${gate} is open`,
    asks: { tool: 'tasks2026_ask', args: () => ({}), text: () => 'Hello, Ada!' },
    cancelled: 'cancelled',
    stopped: STOPPED,
  },
  {
    dialect: 'tasks2025',
    tool: 'long',
    args: (gate) => ({ gate }),
    note: (gate) => `long ${gate} 1`,
    text: (gate) => `${gate} is done`,
    asks: { tool: 'tasks2025_ask', args: (gate) => ({ label: gate }), text: () => 'Hello, Ada!' },
    stopped: STOPPED,
  },
  {
    dialect: 'job',
    tool: 'sync',
    args: (gate) => ({ gate, label: gate }),
    note: (gate) => `sync ${gate} 1`,
    text: () => 'Sync completed successfully',
    progress: () => 'Processing 150 of 500 files...',
    stopped: ENDED,
  },
  {
    dialect: 'prompts',
    tool: 'App_Run',
    args: (gate) => ({ gate }),
    note: (gate) => `ran ${gate} with gate and stream false`,
    text: (gate) => `# ${gate} is open`,
    cancelled: 'stopped {',
    stopped: STOPPED,
  },
  {
    dialect: 'stream',
    tool: 'codex_app_window_run',
    args: (gate) => ({ prompt: gate, gate }),
    note: () => 'codex_app_window_run stream=true',
    text: (gate) => `Did ${gate}`,
    cancelled: 'window_stop {',
    stopped: STOPPED,
  },
];

const CLIENTS = ['tasks-2026', 'tasks-2025', 'job', 'ui-prompts', 'stream', 'inline'];
const asyncTask = { tools: ['app_run'], taskIdKey: 'taskId', resultSource: 'ui_prompts', pollIntervalMs: 200 };
const UPSTREAMS = {
  plain: foreign('handmade-server'),
  tasks2026: foreign('host-sdk2-server'),
  tasks2025: foreign('host-sdk1-server'),
  job: foreign('host-job-server'),
  prompts: (dir: string) => ({ ...foreign('host-ui-app')(dir), callMeta: { asyncTask } }),
  stream: foreign('foreign-stream-server'),
};

const dir = mkdtempSync(join(tmpdir(), 'holdfast-cells-'));
const notes = () => readLines(join(dir, 'runs.txt'));
const count = (line: string) => notes().filter((one) => one === line).length;
const PATIENCE = { timeoutMs: 60_000 };
let gateway: ChildProcess;
let store: Store;
let tasks: TaskClient;
let clients: CellClient[] = [];
let closeClients = async () => {};
let lastGate = 0;

beforeAll(async () => {
  appendFileSync(join(dir, 'runs.txt'), '');
  const upstreams = Object.fromEntries(Object.entries(UPSTREAMS).map(([name, make]) => [name, make(dir)]));
  const options = { upstreams, asyncTask: { optional: 'asked' }, promptRoots: [dir], inlineMs: 0 };
  writeFileSync(join(dir, 'options.json'), JSON.stringify(options));
  store = await openSqliteStore({ path: join(dir, 'tasks.db') });
  tasks = createTaskClient(store);
  gateway = spawn(process.execPath, [programPath('gateway-server.js'), dir, 'http'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: gateway.stdout as NodeJS.ReadableStream });
  const [url] = (await once(lines, 'line')) as [string];
  const opened = await openCellClients(url, dir);
  clients = opened.all;
  closeClients = opened.close;
}, 120_000);

afterAll(async () => {
  await closeClients();
  gateway.kill('SIGKILL');
  await once(gateway, 'exit');
  await until(async () => (await store.workers.list()).length === 0, { what: 'the worker to end', ...PATIENCE });
  await store.close();
  await rm(dir, { recursive: true, maxRetries: 20, retryDelay: 100 });
}, 120_000);

// Along the diagonals, so that every server and every client is in the part that is tried.
const CELLS = ROWS.flatMap((row) => CLIENTS.map((client) => ({ server: row.dialect, client, row })));
const ASKING = CLIENTS.flatMap((client) =>
  ROWS.flatMap(({ dialect, asks }) => (asks ? [{ server: dialect, client, asks }] : [])),
);

const getClient = (dialect: string) => clients.find((one) => one.dialect === dialect) as CellClient;

describe('any client with any server', () => {
  it.each(share(CELLS, { every: 7 }))(
    '[GATE-210] one that speaks $server is used by one that speaks $client, and its work is done once',
    async ({ client: dialect, row }) => {
      const client = getClient(dialect);
      lastGate += 1;
      const gate = `g${lastGate}`;
      const before = count(row.note(gate));
      const call = await client.call(row.tool, row.args(gate));
      await until(() => count(row.note(gate)) === before + 1, { what: row.note(gate), ...PATIENCE });
      if (row.progress && client.hearsProgress) {
        const expected = row.progress(gate);
        await until(async () => (await call.progress()).includes(expected), { what: expected, ...PATIENCE });
      }
      writeFileSync(join(dir, `open-${gate}`), '');
      expect(await call.text()).toContain(row.text(gate));
      expect(count(row.note(gate))).toBe(before + 1);
    },
  );

  it.each(share(CELLS, { every: 7 }))(
    '[GATE-212] one that speaks $server has its work stopped by one that speaks $client',
    async ({ client: dialect, row }) => {
      const client = getClient(dialect);
      lastGate += 1;
      const gate = `c${lastGate}`;
      const countStops = () => notes().filter((line) => line.startsWith(row.cancelled ?? 'nothing')).length;
      const before = [count(row.note(gate)), countStops()] as const;
      const call = await client.call(row.tool, row.args(gate));
      await until(() => count(row.note(gate)) === before[0] + 1, { what: row.note(gate), ...PATIENCE });
      await call.cancel();
      const findStopped = async () => {
        const { tasks: listed } = await tasks.list({ tool: row.tool, status: 'cancelled' });
        const { outcome } = listed.find(({ args }) => JSON.stringify(args).includes(`"${gate}"`)) ?? {};
        return outcome?.kind === 'cancelled' ? outcome.stopped : undefined;
      };
      expect(await until(findStopped, { what: `how ${gate} was stopped`, ...PATIENCE })).toMatch(row.stopped);
      if (row.cancelled) expect(countStops()).toBe(before[1] + 1);
    },
  );

  it.each(share(ASKING, { every: 2 }))(
    '[GATE-211] one that speaks $server asks through one that speaks $client',
    async ({ client, asks: { tool, args, text } }) => {
      lastGate += 1;
      const gate = `q${lastGate}`;
      writeFileSync(join(dir, `open-${gate}`), '');
      const call = await getClient(client).call(tool, args(gate));
      expect(await call.text()).toContain(text(gate));
    },
  );
});
