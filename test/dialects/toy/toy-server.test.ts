import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServer } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openRawStdio, type RawClient } from '../../e2e/raw-client.ts';
import { openSite } from '../../e2e/site.ts';

const BUILD = { name: 'build', arguments: { what: 'a boat' } };
// Two starts of a program, and one that must be found dead.
const PATIENT = { timeoutMs: 90_000 };
const ERAS = ['modern', 'legacy'] as const;

async function begin(client: RawClient): Promise<string> {
  const { result } = await client.request('tools/call', { ...BUILD, _meta: { toy: true } });
  return (result?.toy as { ticket: string } | undefined)?.ticket ?? '';
}

async function look(client: RawClient, ticket: string) {
  const { result } = await client.request('toy/look', { ticket });
  return result as { done: boolean; result?: object };
}

describe('a dialect that a server is given', { timeout: 200_000 }, () => {
  it.each(ERAS)('[ROOMS-100] answers a %s call, and its result survives the kill of server and worker', async (era) => {
    const site = await openSite('toy-tools');
    const first = await openRawStdio(site, era);
    const ticket = await begin(first);
    // By now what it did is known to be done.
    await until(async () => (await site.tasks.get(ticket)).progress !== undefined, PATIENT);
    expect(await look(first, ticket)).toMatchObject({ done: false });
    const worker = await site.workerPid();
    await first.kill();
    process.kill(worker, 'SIGKILL');

    const second = await openRawStdio(site, era);
    expect(await look(second, ticket)).toMatchObject({ done: false });
    await writeFile(join(site.dir, 'open'), '');
    const seen = await until(async () => {
      const found = await look(second, ticket);
      return found.done && found;
    }, PATIENT);
    expect(seen.result).toMatchObject({ content: [{ type: 'text', text: 'a boat is built' }] });
    expect(site.runs()).toEqual(['a boat']);
    await second.end();
  });

  it('[ROOMS-101] leaves calls that do not ask for it to the dialects that are built in', async () => {
    const site = await openSite('toy-tools');
    await writeFile(join(site.dir, 'open'), '');
    const client = await openRawStdio(site, 'modern');
    const { result } = await client.request('tools/call', BUILD);
    expect(result).toMatchObject({ content: [{ text: 'a boat is built' }] });
    await client.end();
  });

  it('[ROOMS-102] is written in at most 35 lines, in one file', async () => {
    const text = await readFile(fileURLToPath(new URL('toy-server.js', import.meta.url)), 'utf8');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(35);
  });

  it.each([
    ['dialects', 'toy', '"toy"; expected a list of dialects'],
    ['dialects[0].name', [{}], 'undefined; expected a text that no other dialect has as its name'],
    ['dialects[0].name', [{ name: 'job' }], '"job"; expected a text that no other dialect has as its name'],
    [
      'dialects[0].name',
      [{ name: 'toy' }, { name: 'toy' }],
      '"toy"; expected a text that no other dialect has as its name',
    ],
    ['dialects[0].server', [{ name: 'toy', server: 'half' }], '"half"; expected a function that loads it'],
  ])('[ROOMS-103] is refused when it is wrong: %s of %j', (field, dialects, complaint) => {
    const options = { name: 'toys', version: '1', dialects: dialects as never };
    expect(() => createServer(options)).toThrow(`${field} is ${complaint}`);
  });
});
