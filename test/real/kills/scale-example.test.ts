import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { openPostgresStore } from 'holdfast/postgres';
import { until } from 'holdfast/testing';
import { Pool } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { inRoot } from '../../../scripts/root.mjs';
import { openCuttingProxy } from '../../server/cutting-proxy.ts';
import { PASSWORD } from '../../store/postgres/cluster.ts';
import { PostgresScratch } from '../../store/postgres/scratch.ts';

const scratch = new PostgresScratch();
const EXAMPLE = inRoot('examples', 'scale');
const TOKEN = 'a token of the test';

interface Service {
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly deploy: { readonly replicas: number };
}

const { services } = parse(readFileSync(`${EXAMPLE}/compose.yaml`, 'utf8'), { merge: true }) as {
  services: { server: Service; worker: Service };
};

/** What a service does, as processes of this machine: its command, and the variables that it says. */
async function start({ command, environment }: Service, url: string): Promise<{ child: ChildProcess; said: string }> {
  const names = { node: process.execPath, holdfast: inRoot('dist', 'cli', 'main.js') };
  const [program = '', ...args] = command.replace('npx holdfast', `node ${names.holdfast}`).split(' ');
  expect(program).toBe('node');
  expect(Object.keys(environment)).toEqual(expect.arrayContaining(['DATABASE_URL', 'PGPASSWORD', 'REPORTS_TOKEN']));
  const env = { ...process.env, DATABASE_URL: url, PGPASSWORD: PASSWORD, REPORTS_TOKEN: TOKEN, PORT: '0' };
  const child = spawn(names.node, args, { cwd: EXAMPLE, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const gone = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await gone;
  });
  const lines = [child.stdout, child.stderr].map((stream) => once(createInterface({ input: stream }), 'line'));
  const [said] = (await Promise.race(lines)) as [string];
  return { child, said };
}

it('[PG-246] the example of docs/scale.md: a call outlives its replica and its worker', async () => {
  const { server, worker } = services;
  expect([server.deploy.replicas, worker.deploy.replicas]).toEqual([3, 2]);
  // A database of its own, as in the example: the name of the store is taken in the default schema.
  const database = scratch.toSchema();
  const admin = new Pool({ connectionString: scratch.cluster.url(), max: 1 });
  await admin.query(`CREATE DATABASE ${database}`);
  onTestFinished(async () => {
    await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
    await admin.end();
  });
  const url = `postgres://owner@127.0.0.1:${scratch.cluster.port}/${database}`;
  const many = (service: Service) => Array.from({ length: service.deploy.replicas }, () => start(service, url));
  const replicas = await Promise.all(many(server));
  const workers = await Promise.all(many(worker));
  const [first, second] = replicas.map(({ said }) => said);
  expect(first).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  for (const { said } of workers) expect(said).toContain('is ready (identity reports)');

  const proxy = await openCuttingProxy(first ?? '', () => 'pass');
  const client = new Client({ name: 'caller', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(proxy.url), { requestInit }) as never);
  onTestFinished(() => client.close());
  let isTold = false;
  const onprogress = () => {
    isTold = true;
  };
  const rendering = { name: 'render_report', arguments: { pages: 25 } };
  const calling = client.callTool(rendering, undefined, { timeout: 120_000, onprogress });
  // A client of this SDK finds a stream again that has begun; a request that was never answered is lost to it.
  await until(() => isTold, { what: 'the first progress', timeoutMs: 60_000 });
  const store = await openPostgresStore({ url: scratch.cluster.url(database), name: 'reports' });
  onTestFinished(() => store.close());
  const task = await until(async () => (await store.tasks.list({ limit: 1, status: 'working' })).tasks[0], {
    timeoutMs: 60_000,
  });
  // The worker that has it, and the replica that waits for it.
  const holder = (await store.workers.list()).find(({ workerId }) => workerId === task.worker);
  proxy.lead(second ?? '');
  process.kill(holder?.process?.pid ?? 0, 'SIGKILL');
  replicas[0]?.child.kill('SIGKILL');
  expect(await calling).toEqual({ content: [{ type: 'text', text: '25 pages rendered' }] });
  const ended = await store.tasks.get({ taskId: task.taskId });
  expect(ended).toMatchObject({ status: 'completed', attempt: 2 });
});
