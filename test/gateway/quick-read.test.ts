/** Tools that say that they only read. */
import { expect, it } from 'vitest';
import { openRawStdio } from '../e2e/raw-client.ts';
import { foreign, openGateway } from './open-gateway.ts';

it('[GATE-167] a fast tool that only reads has no task; a slow one becomes one, and is not tried so again', async () => {
  const site = await openGateway(foreign('handmade-server'));
  const client = await openRawStdio(site, 'legacy');
  const read = (gate: string) => client.request('tools/call', { name: 'read', arguments: { gate } });
  const count = (gate: string) => site.runs().filter((line) => line === `read ${gate}`).length;
  const tasks = async () => (await site.tasks.list({}, { principal: 'local' })).tasks.length;
  await site.open('fast');
  expect(await read('fast')).toMatchObject({ result: { content: [{ text: 'fast is open' }] } });
  expect(await tasks()).toBe(0);
  const slow = read('slow');
  await site.untilNoted('told notifications/cancelled');
  await site.open('slow');
  expect(await slow).toMatchObject({ result: { content: [{ text: 'slow is open' }] } });
  expect(count('slow')).toBe(2);
  await site.open('next');
  expect(await read('next')).toMatchObject({ result: { content: [{ text: 'next is open' }] } });
  expect(count('next')).toBe(1);
  expect(await tasks()).toBe(2);
}, 120_000);
