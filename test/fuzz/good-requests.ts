import type { Era, Peer } from './peer.ts';

export interface GoodRequest {
  readonly method: string;
  readonly params: { readonly [key: string]: unknown };
}

const greet = { name: 'greet', arguments: { name: 'Ada' } };
const add = { name: 'add', arguments: { a: 1, b: 2 } };
const prompt = { type: 'ref/prompt', name: 'hello' };
const template = { type: 'ref/resource', uri: 'wire://notes/{name}' };

/** Requests that are the same in both eras. */
const SHARED: readonly GoodRequest[] = [
  { method: 'tools/list', params: {} },
  { method: 'tools/call', params: { ...greet, _meta: { progressToken: 'p1' } } },
  { method: 'tools/call', params: add },
  { method: 'prompts/list', params: {} },
  { method: 'prompts/get', params: { name: 'hello', arguments: { name: 'Ada' } } },
  { method: 'resources/list', params: {} },
  { method: 'resources/templates/list', params: {} },
  { method: 'resources/read', params: { uri: 'wire://note' } },
  { method: 'completion/complete', params: { ref: prompt, argument: { name: 'name', value: 'a' } } },
  {
    method: 'completion/complete',
    params: { ref: template, argument: { name: 'name', value: 'b' }, context: { arguments: { name: 'x' } } },
  },
];

/** A good request of every method of an era, about tasks that are there: one that has ended and one that asks. */
export async function listGoodRequests(peer: Peer): Promise<readonly GoodRequest[]> {
  const tasks = await makeTasks(peer);
  return [...SHARED, ...(peer.era === 'legacy' ? listLegacy(tasks) : listModern(tasks))];
}

export interface Tasks {
  readonly ended: string;
  readonly asking: string;
}

/** Makes one task that ends by itself and one that waits for an answer. */
export async function makeTasks(peer: Peer): Promise<Tasks> {
  const asTask = peer.era === 'legacy' ? { task: { ttl: 60_000 } } : {};
  const make = async (name: string) => {
    const result = await peer.call('tools/call', { name, arguments: {}, ...asTask });
    const { taskId } = (peer.era === 'legacy' ? result.task : result) as { taskId: string };
    return taskId;
  };
  return { ended: await make('job'), asking: await make('confirm') };
}

function listLegacy({ ended, asking }: Tasks): readonly GoodRequest[] {
  return [
    { method: 'ping', params: {} },
    { method: 'logging/setLevel', params: { level: 'error' } },
    { method: 'tools/call', params: { name: 'job', arguments: { label: 'x' }, task: { ttl: 60_000 } } },
    { method: 'tools/call', params: { name: 'confirm', arguments: {}, task: { ttl: null } } },
    { method: 'tasks/get', params: { taskId: ended } },
    { method: 'tasks/list', params: {} },
    { method: 'tasks/result', params: { taskId: ended } },
    { method: 'tasks/result', params: { taskId: asking, wait: false } },
    { method: 'tasks/cancel', params: { taskId: asking } },
  ];
}

function listModern({ ended, asking }: Tasks): readonly GoodRequest[] {
  const inputResponses = { sure: { action: 'accept', content: { sure: true } } };
  const signature = { name: { action: 'accept', content: { name: 'Ada' } } };
  return [
    { method: 'server/discover', params: {} },
    { method: 'tools/call', params: { name: 'job', arguments: { label: 'x' } } },
    { method: 'tools/call', params: { name: 'confirm', arguments: {} } },
    { method: 'tools/call', params: { name: 'sign', arguments: {}, inputResponses: signature } },
    { method: 'tasks/get', params: { taskId: ended } },
    { method: 'tasks/get', params: { taskId: asking } },
    { method: 'tasks/update', params: { taskId: asking, inputResponses } },
    { method: 'tasks/cancel', params: { taskId: ended } },
    {
      method: 'subscriptions/listen',
      params: {
        notifications: { taskIds: [ended, asking], toolsListChanged: true, resourceSubscriptions: ['wire://note'] },
      },
    },
  ];
}

/** Methods that a server of the era does not have. */
export const FOREIGN_METHODS: Readonly<Record<Era, readonly string[]>> = {
  legacy: ['server/discover', 'tasks/update', 'subscriptions/listen', 'nonsense', '__proto__', 'constructor', ''],
  modern: ['tasks/result', 'tasks/list', 'nonsense', '__proto__', 'toString', ''],
};
