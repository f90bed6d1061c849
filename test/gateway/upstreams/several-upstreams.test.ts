/** Several servers behind one gateway. */
import { describe, expect, it } from 'vitest';
import { createMirrored, RESOURCE, TOOL } from '../mirror/mirrored-upstream.ts';
import { openMirror } from '../mirror/open-mirror.ts';

function create(name: string, tools: readonly string[]) {
  return createMirrored({
    'tools/list': () => ({ tools: tools.map((tool) => ({ ...TOOL, name: tool })) }),
    'tools/call': (params) => ({ content: [{ type: 'text', text: `${name} ${params.name}` }] }),
    'prompts/list': () => ({ prompts: [{ name: 'greet' }, { name: `of-${name}` }] }),
    'prompts/get': (params) => ({ messages: [], description: `${name} ${params.name}` }),
    'resources/list': () => ({ resources: [{ ...RESOURCE, uri: `${name}://one` }] }),
    'resources/read': ({ uri }) => ({ contents: [{ uri, text: name }] }),
    [`x/${name}`]: () => ({ by: name }),
  });
}

describe('a gateway before several servers', () => {
  it('[GATE-110] prefixes only what two of them have', async () => {
    const mirror = await openMirror({ upstreams: { a: create('a', ['read', 'search']), b: create('b', ['search']) } });
    const client = await mirror.client('legacy');
    const { tools } = (await client.request('tools/list')).result as { tools: { name: string }[] };
    const names = tools.map(({ name }) => name).filter((name) => !name.includes('task_'));
    expect(names).toEqual(['read', 'a_search', 'b_search']);
    const call = async (name: string) =>
      (await client.request('tools/call', { name, arguments: { name } })).result?.content;
    expect(await call('b_search')).toEqual([{ type: 'text', text: 'b search' }]);
    expect(await call('read')).toEqual([{ type: 'text', text: 'a read' }]);
  });

  it('[GATE-111] gathers their lists, and asks the one that has what is asked for', async () => {
    const mirror = await openMirror({ upstreams: { a: create('a', []), b: create('b', []) } });
    const client = await mirror.client('legacy');
    const ask = async (method: string, params: object = {}) => (await client.request(method, params)).result;
    const { prompts } = (await ask('prompts/list')) as { prompts: { name: string }[] };
    expect(prompts.map(({ name }) => name)).toEqual(['a_greet', 'of-a', 'b_greet', 'of-b']);
    expect(await ask('prompts/get', { name: 'b_greet' })).toMatchObject({ description: 'b greet' });
    expect(await ask('prompts/get', { name: 'of-b' })).toMatchObject({ description: 'b of-b' });
    const { resources } = (await ask('resources/list')) as { resources: { uri: string }[] };
    expect(resources.map(({ uri }) => uri)).toEqual(['a://one', 'b://one']);
    expect(await ask('resources/read', { uri: 'b://one' })).toMatchObject({ contents: [{ text: 'b' }] });
    expect(await ask('x/b')).toEqual({ by: 'b' });
  });

  it('[GATE-114] serves the others when one cannot be reached, and says which and why', async () => {
    const dead = { command: process.execPath, args: ['-e', 'process.exit(3)'], stderr: 'ignore' as const };
    const mirror = await openMirror({ upstreams: { dead, alive: create('alive', ['read']) } });
    const client = await mirror.client('legacy');
    const called = await client.request('tools/call', { name: 'read', arguments: {} });
    expect(called.result?.content).toEqual([{ type: 'text', text: 'alive read' }]);
  });
});
