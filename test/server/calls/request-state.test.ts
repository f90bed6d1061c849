import { expect, it } from 'vitest';
import { openHttp, postModern } from '../open-http.ts';

it('a request state that this server did not make is refused, and starts no work', async () => {
  const { serve, tasks } = await openHttp();
  const params = { name: 'confirm', arguments: {}, requestState: 'made.up', inputResponses: {} };
  const response = await postModern(await serve(), { method: 'tools/call', params });
  expect(await response.json()).toMatchObject({ error: { code: -32602 } });
  expect((await tasks.list({}, { principal: 'local' })).tasks).toEqual([]);
});

it('an unknown method is not found in the words of HTTP too', async () => {
  const { serve } = await openHttp();
  const response = await postModern(await serve(), { method: 'nothing/here' });
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ id: 1, error: { code: -32601 } });
});

it('[GATE-163] answers that come with the first request are taken when the tool asks', async () => {
  const { serve, onlyTask } = await openHttp();
  const inputResponses = { q1: { action: 'accept', content: { sure: true } }, other: { action: 'decline' } };
  const params = { name: 'confirm', arguments: {}, inputResponses };
  const response = await postModern(await serve(), { method: 'tools/call', params });
  expect(await response.text()).toContain('sure: true');
  await onlyTask();
});
