/** What goes to models' APIs: some refuse references, recursion and alternatives in the schemas of tools. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openHttp, postModern, readJson } from '../open-http.ts';
import { openPlain, taskOf, textOf } from '../plain-client.ts';

interface Listing {
  readonly name: string;
  readonly inputSchema: { readonly type: string; readonly properties: Readonly<Record<string, { type?: unknown }>> };
}

const REFUSED = ['$ref', '$defs', '$schema', 'definitions', '$recursiveRef', '$dynamicRef', 'anyOf', 'oneOf', 'allOf'];

function keywordsOf(schema: unknown): string[] {
  if (schema === null || typeof schema !== 'object') return [];
  const own = Array.isArray(schema) ? [] : Object.keys(schema);
  return [...own, ...Object.values(schema).flatMap(keywordsOf)];
}

describe('the schemas of the tools to wait with', () => {
  it('[HOSTS-163] are objects of plain types, without references, recursion and alternatives', async () => {
    const url = await (await openHttp()).serve();
    const { result } = await readJson(await postModern(url, { method: 'tools/list' }));
    const companions = (result as unknown as { tools: Listing[] }).tools.filter(({ name }) => /_task_/.test(name));
    expect(companions).toHaveLength(4);
    for (const { name, inputSchema } of companions) {
      expect(inputSchema.type, name).toBe('object');
      expect(keywordsOf(inputSchema).filter((keyword) => REFUSED.includes(keyword))).toEqual([]);
      for (const [field, { type }] of Object.entries(inputSchema.properties)) {
        expect(['string', 'number', 'integer', 'object'], `${name}.${field}`).toContain(type);
      }
    }
  });
});

describe('task_answer', () => {
  const ANSWER = { name: 'Ada', tags: ['a', ['b']], deep: { more: { yes: true, no: null } } };

  async function open() {
    const rig = await openHttp();
    const url = await rig.serve({ profiles: { plain: { giveUpMs: null } } }, (server) => {
      server.tool('sign', {
        async run(_, task) {
          return JSON.stringify(await task.ask({ message: 'Who?', schema: z.looseObject({ name: z.string() }) }));
        },
      });
    });
    const client = await openPlain(url);
    const task_id = taskOf(await client.call('sign'))?.taskId ?? '';
    return { client, task_id };
  }

  it.each([
    ['an object', ANSWER],
    ['its JSON text', JSON.stringify(ANSWER)],
  ])('[HOSTS-164] takes any answer, as %s', async (_how, content) => {
    const { client, task_id } = await open();
    expect(JSON.parse(textOf(await client.call('task_answer', { task_id, content })))).toEqual(ANSWER);
  });

  it('[HOSTS-164] refuses what is no object, and does not repeat it', async () => {
    const { client, task_id } = await open();
    const deep = `{"name":${'['.repeat(100_000)}`;
    for (const content of ['hunter2', '"hunter2"', '[1]', deep, ['hunter2'], 7, null]) {
      const refused = await client.call('task_answer', { task_id, content });
      expect(refused.result).toMatchObject({ isError: true });
      expect(textOf(refused)).toBe('content is no object; expected an object of the schema that the question names');
    }
    expect(textOf(await client.call('task_answer', { task_id, content: { name: 'Ada' } }))).toContain('Ada');
  });
});
