import { expect, it } from 'vitest';
import { openSession, post } from '../../server/open-http.ts';
import { callOnLine, type Headers, openLines } from '../../server/open-line.ts';

const as = (name: string) => ({ authorization: `Bearer ${name}` });

function verify(request: Request) {
  const subject = /^Bearer (\w+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
  return subject ? { issuer: 'https://id.example', subject } : undefined;
}

async function ask(url: string, headers: Headers, eventId: string) {
  const response = await fetch(url, {
    headers: { ...headers, accept: 'text/event-stream', 'last-event-id': eventId },
  });
  return { status: response.status, text: await response.text() };
}

it('[HOSTS-260] ids that were made up, changed, too long, of another session or another principal all get the same answer', async () => {
  const { serve, step } = await openLines();
  const url = await serve({ verify });
  const ada = await openSession(url, { headers: as('ada') });
  const line = await callOnLine(url, ada, { name: 'steps' });
  const { id = '' } = await line.next();
  const [body = '', signature = ''] = id.split('.');
  const content = Buffer.from(body, 'base64url').toString();
  const changed = Buffer.from(content.replace('"requestId":7', '"requestId":8')).toString('base64url');
  const made = await ask(url, ada, 'made-up');
  expect(made.status).toBe(400);
  expect(await ask(url, ada, `${changed}.${signature}`)).toEqual(made);
  expect(await ask(url, ada, `${id}${'a'.repeat(4000)}`)).toEqual(made);
  expect(await ask(url, ada, ada['mcp-session-id'] ?? '')).toEqual(made);
  expect(await ask(url, await openSession(url, { headers: as('ada') }), id)).toEqual(made);
  expect(await ask(url, await openSession(url, { headers: as('eve') }), id)).toEqual(made);
  // With the session of another there is no session either.
  expect((await ask(url, { ...ada, ...as('eve') }, id)).status).toBe(404);
  step(4);
  expect((await line.rest()).at(-1)?.message).toMatchObject({ id: 7, result: {} });
});

it('[HOSTS-261] a call that pretends to go on with a stream runs nothing', async () => {
  const { serve, runs } = await openLines();
  const url = await serve();
  const params = { name: 'steps', arguments: {}, _meta: { 'holdfast/resumed': 'token' } };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const answer = await (await post(url, { body, headers: await openSession(url) })).text();
  expect(answer).toContain('send Last-Event-ID to resume');
  expect(runs).toEqual([]);
});

it('[HOSTS-262] a resumed stream is an open request like any other', async () => {
  const { serve, step } = await openLines();
  const url = await serve({ verify, http: { perPrincipal: { requests: 2 } } });
  const headers = await openSession(url, { headers: as('ada') });
  const line = await callOnLine(url, headers, { name: 'steps' });
  const { id = '' } = await line.next();
  const other = await callOnLine(url, headers, { name: 'steps', id: 8, args: { of: 'b' } });
  expect((await ask(url, headers, id)).status).toBe(429);
  step(4);
  for (const one of [line, other]) expect((await one.rest()).at(-1)?.message).toHaveProperty('result');
});
