import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../../src/clock.ts';
import { type Message, openHttp, postModern, readJson } from '../open-http.ts';
import { type Heard, openPlain, type PlainClient, type PlainOptions, textOf } from '../plain-client.ts';

const ELICITATION = { elicitation: { form: {} } };
const CODEX: PlainOptions = {
  name: 'codex-mcp-client',
  version: '0.166.0',
  protocolVersion: '2025-06-18',
  capabilities: { elicitation: {} },
};
const PLAIN: PlainOptions = { capabilities: ELICITATION };

/** A server that measures with a clock which stands still until the test moves it. */
async function open(options = {}) {
  const rig = await openHttp();
  const time = { ms: 0 };
  const clock = { ...systemClock, monotonic: () => time.ms, steady: () => ({ ms: time.ms, boot: 'test' }) };
  const url = await rig.serve({ clock, ...options }, (server) => {
    server.tool('twice', {
      async run(_, task) {
        const ask = (key: string) => task.ask({ key, message: `The ${key}?`, schema: z.object({ it: z.string() }) });
        return `${(await ask('first')).it} and ${(await ask('second')).it}`;
      },
    });
    server.tool('ready', {
      upfront: () => ({ who: { message: 'Who?', schema: z.object({ it: z.string() }) } }),
      run: (_, task) => `for ${(task.upfront.who as { it: string }).it}`,
    });
  });
  return { rig, url, time };
}

/** What a client that can be asked does with each question. */
type Reaction = (client: PlainClient, question: Message) => unknown;

async function callAnd(client: PlainClient, tool: string, react: Reaction): Promise<Heard & { asked: Message[] }> {
  const asked: Message[] = [];
  const heard = await client.call(
    tool,
    {},
    {
      meta: { progressToken: 0 },
      onMessage(message) {
        if (message.method !== 'elicitation/create') return;
        asked.push(message);
        void react(client, message);
      },
    },
  );
  return { ...heard, asked };
}

const refuse =
  (action: string): Reaction =>
  (client, { id }) =>
    client.answer(id, { result: { action } });

describe('a question that a host refuses by itself', () => {
  it.each(['decline', 'cancel'])(
    '[HOSTS-290] [HOSTS-291] with %s goes into words, and so do all others of its connection',
    async (action) => {
      const { rig, url } = await open();
      const client = await openPlain(url, CODEX);
      const handed = await callAnd(client, 'twice', refuse(action));
      expect(textOf(handed)).toContain('It asks: The first?');
      expect(handed.asked).toHaveLength(1);
      const task_id = await rig.onlyTask();
      const answer = (it: string) => ({ task_id, content: { it } });
      const next = await client.call('task_answer', answer('one'));
      expect([textOf(next).includes('The second?'), next.others]).toEqual([true, []]);
      expect(textOf(await client.call('task_answer', answer('two')))).toBe('one and two');
      const other = await callAnd(client, 'confirm', refuse(action));
      expect([textOf(other).includes('Sure?'), other.asked]).toEqual([true, []]);
    },
  );

  it('[HOSTS-290] with an error, however late, goes into words', async () => {
    const { url, time } = await open();
    const handed = await callAnd(await openPlain(url, PLAIN), 'confirm', (client, { id }) => {
      time.ms += 60_000;
      return client.answer(id, { error: { code: -32603, message: 'no user here' } });
    });
    expect(textOf(handed)).toContain('It asks: Sure?');
  });

  it('[HOSTS-292] is not put to a client whose profile says that nobody is there', async () => {
    const { url } = await open({ profiles: { plain: { giveUpMs: null, headless: true } } });
    const handed = await callAnd(await openPlain(url, PLAIN), 'confirm', refuse('decline'));
    expect([textOf(handed).includes('Sure?'), handed.asked]).toEqual([true, []]);
  });

  it('[HOSTS-293] counts as answered when it is accepted, however fast', async () => {
    const { url } = await open();
    const heard = await callAnd(await openPlain(url, CODEX), 'confirm', (client, { id }) =>
      client.answer(id, { result: { action: 'accept', content: { sure: true } } }),
    );
    expect(textOf(heard)).toBe('sure: true');
  });
});

describe('a question that a person refuses', () => {
  it.each([
    ['decline', 'declined'],
    ['cancel', 'cancelled'],
  ])(
    '[HOSTS-294] with %s ends the work with words that name question and client, and no fault of the server',
    async (action, verb) => {
      const { url, time } = await open();
      const heard = await callAnd(await openPlain(url, CODEX), 'confirm', (client, { id }) => {
        time.ms += 300;
        return client.answer(id, { result: { action } });
      });
      expect(heard.error).toBeUndefined();
      expect(heard.result).toMatchObject({
        isError: true,
        _meta: { 'holdfast/declined': { key: 'q1', action, by: 'codex-mcp-client' } },
      });
      expect(textOf(heard)).toBe(
        `There is no result, because question "q1" was ${verb} by codex-mcp-client: "Sure?". Nothing is wrong with the server.`,
      );
    },
  );

  it('[HOSTS-294] by a task is refused at once, however fast: no words would reach anybody there', async () => {
    const { rig, url } = await open();
    const client = await openPlain(url, PLAIN);
    const heard = await client.call('confirm', {}, { task: {} });
    const { taskId } = (heard.result as unknown as { task: { taskId: string } }).task;
    const { result } = await client.send('tasks/result', { taskId }, (message) => {
      if (message.method === 'elicitation/create') void client.answer(message.id, { result: { action: 'decline' } });
    });
    expect(result).toMatchObject({ isError: true, _meta: { 'holdfast/declined': { by: 'plain' } } });
    expect((await rig.tasks.get(taskId)).status).toBe('failed');
  });
});

describe('a question of the modern era', () => {
  const call = async (url: string, params: object) =>
    (
      await readJson(
        await postModern(url, { method: 'tools/call', params: params as never, capabilities: ELICITATION }),
      )
    ).result as unknown as { resultType?: string; requestState?: string; inputRequests?: object } & Heard['result'];
  interface Given {
    readonly action: string;
    readonly content?: object;
    /** Called between question and answer. */
    readonly before?: () => void;
  }
  /** Calls, and repeats the call with this answer to whatever it is asked. */
  const callAndAnswer = async (url: string, name: string, { before = () => {}, ...answer }: Given) => {
    const first = await call(url, { name });
    expect(first?.resultType).toBe('input_required');
    before();
    const inputResponses = Object.fromEntries(Object.keys(first?.inputRequests ?? {}).map((key) => [key, answer]));
    return call(url, { name, requestState: first?.requestState, inputResponses });
  };

  it('[HOSTS-295] that is refused at once goes into words, and the client is not asked again', async () => {
    const { rig, url } = await open();
    const handed = await callAndAnswer(url, 'twice', { action: 'decline' });
    expect(handed?.content[0]?.text).toContain('It asks: The first?');
    const task_id = await rig.onlyTask();
    const next = await call(url, { name: 'task_answer', arguments: { task_id, content: { it: 'one' } } });
    expect(next?.content[0]?.text).toContain('It asks: The second?');
    expect((await call(url, { name: 'confirm' }))?.content[0]?.text).toContain('It asks: Sure?');
  });

  it('[HOSTS-295] that is refused at once before the work begins is asked in words by the work', async () => {
    const { rig, url } = await open();
    const handed = await callAndAnswer(url, 'ready', { action: 'cancel' });
    expect(handed?.content[0]?.text).toContain('It asks: Who?');
    const task_id = await rig.onlyTask();
    const done = await call(url, { name: 'task_answer', arguments: { task_id, content: { it: 'Ada' } } });
    expect(done?.content[0]?.text).toBe('for Ada');
  });

  it.each([
    ['confirm', 'q1', 'Sure?'],
    ['ready', 'who', 'Who?'],
  ])('[HOSTS-296] that a person refuses is named with its client: %s', async (tool, key, message) => {
    const { url, time } = await open();
    const before = () => {
      time.ms += 300;
    };
    const heard = await callAndAnswer(url, tool, { action: 'decline', before });
    expect(heard).toMatchObject({ isError: true, _meta: { 'holdfast/declined': { key, by: 'raw' } } });
    expect(heard?.content[0]?.text).toContain(`question "${key}" was declined by raw: "${message}"`);
  });

  it('[HOSTS-296] that is accepted at once is answered', async () => {
    const { url } = await open();
    const heard = await callAndAnswer(url, 'confirm', { action: 'accept', content: { sure: true } });
    expect(heard?.content[0]?.text).toBe('sure: true');
  });
});

it('[HOSTS-297] a tool that handles a refusal learns which question, how, and by whom', async () => {
  const rig = await openHttp();
  const seen: unknown[] = [];
  const url = await rig.serve({}, (server) => {
    server.tool('polite', {
      async run(_, task) {
        await task.ask({ message: 'May I?', schema: z.object({}) }).catch((error) => seen.push(error));
        return 'went on without';
      },
    });
  });
  const client = await openPlain(url);
  await client.call('polite');
  await until(async () => (await rig.tasks.get(await rig.onlyTask())).questions.length === 1);
  const answered = await client.call('task_answer', { task_id: await rig.onlyTask(), action: 'decline' });
  expect(textOf(answered)).toBe('went on without');
  expect(seen).toMatchObject([
    {
      code: 'QUESTION_DECLINED',
      message: 'question "q1" was declined by plain: "May I?"',
      data: { key: 'q1', action: 'decline', by: 'plain' },
    },
  ]);
});
