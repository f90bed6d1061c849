/** A seventh dialect, both halves of it: a call goes through them, and everybody is killed in the middle. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dialect } from 'holdfast/dialects';
import { until } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { openSite } from '../../e2e/site.ts';
import { openDesk, textOf } from '../../host/open-host.ts';
import { killServers } from '../../host/servers/kill-servers.ts';
import { toyHost } from './toy-host.js';

const TOY: Dialect = { name: 'toy', host: async () => toyHost };
const PATIENT = { timeoutMs: 90_000 };

it('[ROOMS-240] a dialect of two files brings a call back although server, worker and host are gone in between', async () => {
  const site = await openSite('toy-tools');
  const desk = await openDesk();
  const spec = desk.command('toy-tools', site.dir);
  const first = await desk.host({ dialects: [TOY] });
  await first.connect('toys', spec);
  const call = await first.call('toys', 'build', { what: 'a boat' });
  await call.sent();
  await until(async () => (await site.tasks.list()).tasks.some(({ progress }) => progress !== undefined), PATIENT);
  const worker = await site.workerPid();
  killServers('toy-tools', site.dir);
  process.kill(worker, 'SIGKILL');
  await first.close();

  const second = await desk.host({ dialects: [TOY] });
  await second.connect('toys', spec);
  const [resumed] = await second.resume();
  writeFileSync(join(site.dir, 'open'), '');
  expect(resumed && textOf(await resumed.outcome())).toBe('a boat is built');
  expect(site.runs()).toEqual(['a boat']);
}, 200_000);

it('[ROOMS-240] both halves have fewer than 80 lines together', () => {
  const count = (name: string) =>
    readFileSync(join(import.meta.dirname, name), 'utf8')
      .trimEnd()
      .split('\n').length;
  expect(count('toy-host.js') + count('toy-server.js')).toBeLessThan(80);
});
