import { describe, expect, it } from 'vitest';
import { openPipe } from '../../spec/open-stdio-2025.ts';
import { openPipe as openModernPipe } from '../../spec/open-stdio-2026.ts';
import { type Message, openHttp, openSession, post, postModern, readFrames, readJson } from '../open-http.ts';

const LISTS = [
  ['prompts/list', { prompts: [] }],
  ['resources/list', { resources: [] }],
  ['resources/templates/list', { resourceTemplates: [] }],
] as const;

const SINGLE = [
  ['prompts/get', { name: 'hello' }],
  ['resources/read', { uri: 'test://page' }],
  ['resources/subscribe', { uri: 'test://page' }],
] as const;

type Ask = (method: string, params?: object) => Promise<Message>;

/** What Qwen asks after every handshake, whatever was declared, and what must stay an error. */
async function askUninvited(ask: Ask): Promise<void> {
  for (const [method, expected] of LISTS) {
    expect((await ask(method)).result, method).toMatchObject(expected);
    expect((await ask(method, { cursor: 'x' })).result, method).toMatchObject(expected);
    expect((await ask(method, { cursor: 7 })).error, method).toMatchObject({ code: -32602 });
  }
  for (const [method, params] of SINGLE) expect((await ask(method, params)).error?.code, method).toBe(-32601);
}

const capabilitiesOf = (welcome: object | undefined) => (welcome as { capabilities: object }).capabilities;

function expectUndeclared(capabilities: object): void {
  expect(capabilities).not.toHaveProperty('prompts');
  expect(capabilities).not.toHaveProperty('resources');
}

describe('a client that asks for prompts and resources without being invited', () => {
  it('[HOSTS-339] gets empty lists over stdio in 2025-11-25', async () => {
    const pipe = await openPipe({ name: 'qwen-cli-mcp-client-reports' });
    expectUndeclared(capabilitiesOf(pipe.welcome));
    await askUninvited((method, params = {}) => pipe.send(method, params));
  });

  it('[HOSTS-339] gets empty lists over stdio in 2026-07-28', async () => {
    const pipe = await openModernPipe();
    expectUndeclared(capabilitiesOf((await pipe.ask('server/discover')).result));
    await askUninvited((method, params = {}) => pipe.ask(method, { ...params }));
  });

  it('[HOSTS-339] gets empty lists over HTTP in 2025-11-25', async () => {
    const rig = await openHttp();
    const url = await rig.serve();
    const headers = await openSession(url);
    await askUninvited(async (method, params = {}) => {
      const response = await post(url, { body: { jsonrpc: '2.0', id: 1, method, params }, headers });
      return readFrames(response).message();
    });
  });

  it('[HOSTS-339] gets empty lists over HTTP in 2026-07-28', async () => {
    const rig = await openHttp();
    const url = await rig.serve();
    await askUninvited(async (method, params: { uri?: string } = {}) => {
      const { uri } = params;
      const named = uri === undefined ? {} : { headers: { 'mcp-name': uri } };
      return readJson(await postModern(url, { method, params: { ...params }, ...named }));
    });
    const found = await readJson(await postModern(url, { method: 'server/discover' }));
    expectUndeclared(capabilitiesOf(found.result));
  });

  it('[HOSTS-340] gets what there is where there is something', async () => {
    const rig = await openHttp();
    const url = await rig.serve({}, (server) => {
      server.mcp((mcp) => void mcp.registerPrompt('hello', {}, () => ({ messages: [] })));
    });
    const ask = async (method: string) => (await readJson(await postModern(url, { method }))).result;
    expect(await ask('prompts/list')).toMatchObject({ prompts: [{ name: 'hello' }] });
    expect(await ask('resources/list')).toMatchObject({ resources: [] });
  });
});
