import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openRawStdio, PLAIN_META } from './raw-client.ts';
import { openSite } from './site.ts';

it('[ROOMS-350] a server that is killed while a quick call runs leaves nothing of it, and the same call runs again', async () => {
  const site = await openSite('plain-server');
  const call = { name: 'look', arguments: { name: 'a' }, _meta: PLAIN_META };
  const first = await openRawStdio(site, 'modern');
  const cut = expect(first.request('tools/call', call)).rejects.toThrow();
  await site.untilRuns(1);
  await first.kill();
  await cut;
  await writeFile(join(site.dir, 'open-a'), '');
  const second = await openRawStdio(site, 'modern');
  const { result } = await second.request('tools/call', call);
  expect(result).toMatchObject({ content: [{ type: 'text', text: 'saw a' }] });
  expect(site.runs()).toEqual(['look a quick', 'look a quick']);
  expect((await site.tasks.list()).tasks).toEqual([]);
});
