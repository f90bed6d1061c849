/** What a hostile server over HTTP can do to the memory of its host, and to the calls beside it. */
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { HttpSpec } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { openDesk, textOf } from '../../host/open-host.ts';
import { EVENTS, type HostileCall, openHostileHttp, sendJson, writeOn } from '../http/hostile-http.ts';

const MAX = 1024 * 1024;
const TOO_MUCH = 64 * MAX;

interface Rig {
  readonly answers: number;
  readonly errors: unknown[];
  call(tool: string): Promise<object>;
}

type Harm = (call: HostileCall) => unknown;

async function openRig(harm: Harm, more: Partial<HttpSpec> = {}, onListen?: (response: ServerResponse) => unknown) {
  const server = await openHostileHttp((call) => {
    const result = { content: [{ type: 'text', text: 'here' }] };
    if (call.tool === 'echo') sendJson(call.response, { jsonrpc: '2.0', id: call.id, result });
    else harm(call);
  }, onListen);
  const desk = await openDesk();
  const host = await desk.host({ maxAnswerBytes: MAX });
  await host.connect('hostile', { url: server.url, ...more });
  const rig: Rig = {
    get answers() {
      return server.answers;
    },
    errors: desk.errors,
    call: async (tool) => (await host.call('hostile', tool)).outcome(),
  };
  return rig;
}

const TOO_LARGE = { kind: 'error', error: { code: 'RESULT_TOO_LARGE', message: expect.stringContaining('bytes') } };

async function expectCut(rig: Rig, outcome: object): Promise<void> {
  expect(outcome).toMatchObject(TOO_LARGE);
  expect(textOf((await rig.call('echo')) as never)).toBe('here');
}

it('[SEC-327] an event without end is cut, and the call says so', async () => {
  let written = 0;
  const rig = await openRig(async ({ response }) => {
    response.writeHead(200, EVENTS).write('data: {"result":{"a":"');
    written = await writeOn(response, TOO_MUCH);
  });
  await expectCut(rig, await rig.call('harm'));
  await until(() => written > 0, { what: 'the server to be cut off' });
  expect(written).toBeLessThan(TOO_MUCH);
});

it.each(['data: x\n', 'data: x\r', ': nothing\n'])(
  '[SEC-327] an event of lines without end (%j) is cut too, and costs no more than it is long',
  async (line) => {
    const rig = await openRig(({ response }) => void writeOn(response.writeHead(200, EVENTS), TOO_MUCH, line));
    await expectCut(rig, await rig.call('harm'));
  },
);

it('[SEC-327] an event that is too large and ends is named with its size, and the stream goes on', async () => {
  const rig = await openRig(async ({ id, response }) => {
    response.writeHead(200, EVENTS).write('event: message\ndata: {"method":"notifications/message","params":{"data":"');
    await writeOn(response, 2 * MAX);
    response.write(`"},"jsonrpc":"2.0"}\n\nevent: message\ndata: {"result":{"content":[{"text":"`);
    await writeOn(response, 2 * MAX);
    response.end(`"}]},"jsonrpc":"2.0","id":${id}}\n\n`);
  });
  const outcome = await rig.call('harm');
  await expectCut(rig, outcome);
  expect(JSON.stringify(outcome)).toMatch(/has 2097\d{3} bytes/);
  expect(rig.errors).toEqual([expect.objectContaining({ code: 'RESULT_TOO_LARGE' })]);
});

it('[SEC-328] a body without end is cut, and one that says it is too long is not read', async () => {
  const head = { 'content-type': 'application/json' };
  const endless = await openRig(async ({ response }) => {
    response.writeHead(200, head).write('{"result":{"a":"');
    await writeOn(response, TOO_MUCH);
  });
  await expectCut(endless, await endless.call('harm'));
  const said = await openRig(({ response }) => {
    response.writeHead(200, { ...head, 'content-length': 5_000_000_000 }).write('{');
  });
  const outcome = await said.call('harm');
  await expectCut(said, outcome);
  expect(JSON.stringify(outcome)).toContain('has 5000000000 bytes');
});

it('[SEC-328] a body that is longer than it says is read as far as it said', async () => {
  const rig = await openRig(({ response }) => {
    // Past the HTTP library, which would refuse to lie.
    const { socket } = response;
    socket?.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}');
    for (let count = 0; count < 100 && socket?.writable; count++) socket.write('x'.repeat(64 * 1024));
  });
  const outcome = await rig.call('harm');
  expect(outcome).toMatchObject({ kind: expect.stringMatching(/^(error|interrupted)$/) });
  expect(textOf((await rig.call('echo')) as never)).toBe('here');
});

it.each([false, true])(
  '[SEC-329] a small body that unpacks to a large one does no harm (fetch of Node: %s)',
  async (own) => {
    const bomb = gzipSync(`{"jsonrpc":"2.0","result":{"a":"${'x'.repeat(TOO_MUCH)}"}}`);
    const head = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const rig = await openRig(({ response }) => void response.writeHead(200, head).end(bomb), own ? { fetch } : {});
    const outcome = await rig.call('harm');
    if (own) expect(outcome).toMatchObject(TOO_LARGE);
    else expect(outcome).toMatchObject({ kind: 'interrupted' });
    expect(textOf((await rig.call('echo')) as never)).toBe('here');
  },
);

it('[SEC-330] a refusal or a page without end is read for its reason only', async () => {
  const refusing = await openRig(({ response }) => void writeOn(response.writeHead(400), TOO_MUCH, 'no! '));
  const refused = (await refusing.call('harm')) as { error: { message: string } };
  expect(refused).toMatchObject({
    kind: 'error',
    error: { message: expect.stringContaining('HTTP status 400: no! no!') },
  });
  expect(refused.error.message.length).toBeLessThan(3000);
  const page = await openRig(({ response }) => {
    void writeOn(response.writeHead(200, { 'content-type': 'text/html' }), TOO_MUCH);
  });
  expect(await page.call('harm')).toMatchObject({ kind: 'interrupted' });
});

it('[SEC-323] a server that asks without end on its stream costs a limited number of connections', async () => {
  const rig = await openRig(
    () => {},
    {},
    (response) => {
      for (let at = 0; at < 5000; at++) {
        response.write(`data: {"jsonrpc":"2.0","id":"ping-${at}","method":"ping"}\n\n`);
      }
    },
  );
  await until(() => rig.answers >= 100, { what: 'answers to the server', timeoutMs: 60_000 });
  expect(textOf((await rig.call('echo')) as never)).toBe('here');
  expect(rig.answers).toBe(100);
});

it('[SEC-331] a server that says never to come again is not asked again at once', async () => {
  let streams = 0;
  const rig = await openRig(
    () => {},
    {},
    (response) => {
      streams += 1;
      // More than a timer holds.
      response.end('retry: 99999999999\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n');
    },
  );
  await until(() => streams > 0, { what: 'the stream of the connection' });
  for (let count = 0; count < 30; count++) expect(textOf((await rig.call('echo')) as never)).toBe('here');
  expect(streams).toBe(1);
});

it('[SEC-530] a body of more messages than a batch may have is named with their number, and costs nothing more', async () => {
  const pings = Array.from({ length: 4000 }, (_, at) => ({ jsonrpc: '2.0', id: `ping-${at}`, method: 'ping' }));
  const rig = await openRig(({ id, response, tool }) => {
    const answer = { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'in a batch' }] } };
    sendJson(response, [answer, ...(tool === 'many' ? pings : pings.slice(0, 3))]);
  });
  expect(await rig.call('many')).toMatchObject({
    kind: 'error',
    error: { code: 'RESULT_TOO_LARGE', message: 'the server answered with 4001 messages at once; expected 50' },
  });
  expect(rig.answers).toBe(0);
  expect(textOf((await rig.call('few')) as never)).toBe('in a batch');
});

it.each(['body', 'batch', 'event'])(
  '[SEC-531] an answer of very many members ends its call with a name: %s',
  async (form) => {
    const members = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`k${at}`, 0]));
    const rig = await openRig(({ id, response }) => {
      const answer = { jsonrpc: '2.0', id, result: members };
      if (form === 'event') response.writeHead(200, EVENTS).end(`data: ${JSON.stringify(answer)}\n\n`);
      else sendJson(response, form === 'batch' ? [answer] : answer);
    });
    const wide = await rig.call('wide');
    expect(wide).toMatchObject({ kind: 'error', error: { code: 'RESULT_TOO_LARGE' } });
    expect(JSON.stringify(wide)).toContain('too many members');
    expect(textOf((await rig.call('echo')) as never)).toBe('here');
  },
);
