import { spawn } from 'node:child_process';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSite } from '../../e2e/site.ts';
import { programPath } from '../../programs/program-path.js';
import { type Message, SUBSCRIPTION_ID } from '../open-http.ts';

const META = 'io.modelcontextprotocol/';
const TASKS = { extensions: { [`${META}tasks`]: {} } };
const PROGRAM = programPath('reports-server.js');

/** A server on stdio, spoken to message by message. */
async function open() {
  const { dir } = await openSite();
  const child = spawn(process.execPath, [PROGRAM, dir], { stdio: ['pipe', 'pipe', 'inherit'] });
  const messages: Message[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) messages.push(JSON.parse(line));
  });
  onTestFinished(async () => {
    child.stdin.end();
    await until(() => child.exitCode !== null, { what: 'the server to end' });
  });
  const write = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const send = (id: number, method: string, { capabilities = TASKS, ...params }: Record<string, unknown> = {}) => {
    const _meta = { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: capabilities };
    write({ id, method, params: { ...params, _meta } });
  };
  const answer = (id: number) => until(() => messages.find((one) => one.id === id), { what: `answer ${id}` });
  const startTask = async (ms: number) => {
    send(1, 'tools/call', { name: 'render', arguments: { ms } });
    return String((await answer(1)).result?.taskId);
  };
  const statuses = () =>
    messages.filter(({ method }) => method === 'notifications/tasks').map(({ params }) => params?.status);
  return { messages, write, send, answer, startTask, statuses };
}

describe('subscriptions/listen with task ids over stdio', () => {
  it('acknowledges first, and tells of the task until its end', async () => {
    const { messages, send, startTask, statuses } = await open();
    const taskId = await startTask(1500);
    const before = messages.length;
    send(9, 'subscriptions/listen', { notifications: { taskIds: [taskId, 'nothing'] } });
    await until(() => statuses().includes('completed'), { what: 'the end of the task' });
    const [first, ...others] = messages.slice(before);
    expect(first).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { taskIds: [taskId] }, _meta: { [SUBSCRIPTION_ID]: 9 } },
    });
    for (const { params } of others) expect(params?._meta).toMatchObject({ [SUBSCRIPTION_ID]: 9 });
    expect(statuses()[0]).toBe('working');
    expect(others.at(-1)).toMatchObject({ params: { taskId, result: { content: [{ text: 'report rendered' }] } } });
  });

  it('is refused without the extension, and for task ids that are none', async () => {
    const { send, answer } = await open();
    send(0, 'server/discover');
    await answer(0);
    send(2, 'subscriptions/listen', { notifications: { taskIds: ['x'] }, capabilities: {} });
    expect(await answer(2)).toMatchObject({ error: { code: -32021, data: { requiredCapabilities: TASKS } } });
    send(3, 'subscriptions/listen', { notifications: { taskIds: 'x' } });
    expect(await answer(3)).toMatchObject({ error: { code: -32602 } });
  });

  it('says nothing more once it is cancelled', async () => {
    const { messages, write, send, answer, startTask } = await open();
    const taskId = await startTask(1500);
    send(9, 'subscriptions/listen', { notifications: { taskIds: [taskId] } });
    await until(() => messages.some(({ method }) => method === 'notifications/tasks'));
    write({ method: 'notifications/cancelled', params: { requestId: 9 } });
    send(10, 'tools/list');
    await answer(10);
    const told = messages.length;
    let polls = 100;
    await until(async () => {
      send(++polls, 'tasks/get', { taskId });
      return (await answer(polls)).result?.status === 'completed';
    });
    expect(messages.slice(told).filter(({ method }) => method === 'notifications/tasks')).toEqual([]);
  });
});
