/** What a hostile server of the newer era can ask of its host. */
import type { HostOptions, HostQuestion } from 'holdfast/host';
import { expect, it } from 'vitest';
import { openDesk, textOf } from '../../host/open-host.ts';

async function openHost(capabilities: HostOptions['capabilities']) {
  const desk = await openDesk();
  const questions: HostQuestion[] = [];
  const host = await desk.host({
    ...(capabilities && { capabilities }),
    async onQuestion(question) {
      questions.push(question);
      return { action: 'accept', content: {} };
    },
  });
  await host.connect('hostile', desk.command('hostile-tasks-server'));
  const call = async (tool: string, args = {}) => (await host.call('hostile', tool, args)).outcome();
  return { call, questions };
}

const MESSAGES = { messages: [], maxTokens: 1 };

it.each([
  ['asks', 'sampling/createMessage', MESSAGES],
  ['task', 'sampling/createMessage', MESSAGES],
  ['asks', 'roots/list', {}],
  ['task', 'roots/list', {}],
  ['asks', 'elicitation/delete', {}],
] as const)('[SEC-523] what a host has not declared is put to nobody (%s, %s)', async (tool, method, params) => {
  const { call, questions } = await openHost({ elicitation: { form: {} } });
  const outcome = await call(tool, { request: { method, params } });
  expect(questions).toEqual([]);
  expect(outcome).toMatchObject({ kind: 'error', error: { code: 'INVALID_ARGUMENT' } });
  expect(JSON.stringify(outcome)).toContain(method);
});

it('[SEC-523] a page to open is shown only by a host that has said so; others turn it away', async () => {
  const request = {
    method: 'elicitation/create',
    params: { mode: 'url', message: 'Open', url: 'https://a.example', elicitationId: 'e' },
  };
  const forms = await openHost({ elicitation: { form: {} } });
  expect(textOf(await forms.call('asks', { request }))).toBe('{"a":{"action":"cancel"}}');
  expect(forms.questions).toEqual([]);
  const pages = await openHost({ elicitation: { form: {}, url: {} } });
  expect(textOf(await pages.call('asks', { request }))).toContain('accept');
});

it('[SEC-524] a server that ends each subscription at once is not asked as fast as it answers', async () => {
  const { call } = await openHost(undefined);
  expect(Number(textOf(await call('streams', { most: 100 })))).toBeLessThan(100);
});
