import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine } from 'holdfast';
import { openPostgresStore } from 'holdfast/postgres';
import { untilStatus } from 'holdfast/testing';
import { expect, it, onTestFinished } from 'vitest';
import { openRawHttp } from '../../../e2e/raw-client.ts';
import { begin, finish, getStatus } from '../../../e2e/raw-task.ts';
import { openRoundRobin } from '../../../e2e/round-robin.ts';
import { openSite } from '../../../e2e/site.ts';
import { programPath } from '../../../programs/program-path.js';
import { openCuttingProxy } from '../../../server/cutting-proxy.ts';
import { beginStreamedCall } from '../../../server/streamed-call.ts';
import { PostgresScratch } from '../../../store/postgres/scratch.ts';

const scratch = new PostgresScratch();

/** Servers that share nothing but the database. */
function openFarSite(program: string) {
  const [url, schema] = [scratch.cluster.url(), scratch.toSchema()];
  const env = { HOLDFAST_TEST_URL: url, HOLDFAST_TEST_SCHEMA: schema };
  return openSite(program, programPath, { openStore: () => openPostgresStore({ url, schema }), env });
}

it('[PG-230] a session that one replica opened is good at another, and so is a task', async () => {
  const site = await openFarSite('reports-server');
  const [a, b] = [await site.serve(), await site.serve()];
  const robin = await openRoundRobin([a.url, b.url]);
  const client = await openRawHttp(robin.url, 'legacy', a.kill);
  const taskId = await begin(client, 'render', { ms: 400 });
  await getStatus(client, taskId);
  await untilStatus(site.tasks, taskId, 'completed');
  for (const _ of ['A', 'B']) expect(await finish(client, taskId)).toEqual({ text: 'report rendered' });
  expect(robin.log.slice(0, 3)).toEqual(['A initialize', 'B notifications/initialized', 'A tools/call']);
  expect(site.runs()).toEqual(['render report 1']);
});

it('[PG-230] a stream that ended with its replica goes on at another from its Last-Event-ID, and the tool runs once', async () => {
  const site = await openFarSite('plain-server');
  writeFileSync(join(site.dir, 'options.json'), JSON.stringify({ http: { retryMs: 20 } }));
  const [victim, next] = [await site.serve(), await site.serve()];
  const proxy = await openCuttingProxy(victim.url, () => 'pass');
  const { answer } = await beginStreamedCall(proxy.url, 'gate', { name: 'a' });
  await site.untilRuns(1);
  proxy.lead(next.url);
  await victim.kill();
  writeFileSync(join(site.dir, 'open-a'), '');
  expect(await answer).toEqual({ content: [{ type: 'text', text: 'gate a is open' }] });
  expect(site.runs()).toEqual(['gate a 1']);
});

it('[PG-231] what one process has sealed, another one opens: secrets of arguments reach workers anywhere', async () => {
  const [url, schema] = [scratch.cluster.url(), scratch.toSchema()];
  const open = async (workers: 'none' | 'inline', seen: unknown[]) => {
    const store = await openPostgresStore({ url, schema });
    const run = (args: { token: string }) => void seen.push(args.token);
    const tools = { use: { idempotent: true, redact: ['token'], run } };
    const engine = await createEngine({ name: 'sealed', identity: 'sealed', store, workers, tools });
    onTestFinished(async () => {
      await engine.close();
      await store.close();
    });
    await engine.start();
    return { engine, store };
  };
  const seen: unknown[] = [];
  const front = await open('none', []);
  const { task } = await front.engine.submit('use', { token: 'hush-hush' });
  expect(JSON.stringify(await front.engine.get(task.taskId))).not.toContain('hush-hush');
  await open('inline', seen);
  expect(await front.engine.outcome(task.taskId)).toMatchObject({ kind: 'result' });
  expect(seen).toEqual(['hush-hush']);
  const make = () => Buffer.from('mine');
  const [one, other] = await Promise.all([
    front.store.secrets?.open('any', make),
    front.store.secrets?.open('any', () => Buffer.from('theirs')),
  ]);
  expect(one).toEqual(other);
});
