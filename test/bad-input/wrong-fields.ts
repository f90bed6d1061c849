/**
 * Every field of every method with values that are wrong there, and the code each must be answered with.
 */
import { FOREIGN_METHODS, type Tasks } from '../fuzz/good-requests.ts';
import { type Path, put } from '../fuzz/mutate.ts';
import { CAPABILITIES, type Era, INITIALIZE, toEnvelope } from '../fuzz/peer.ts';

export interface WrongRequest {
  readonly method: string;
  readonly params: unknown;
  readonly code: number;
  /** Which field, and what is in it. */
  readonly what: string;
}

interface Field {
  readonly method: string;
  /** A good request, in which one field is wrong. */
  readonly params: object;
  readonly path: Path;
  readonly wrong: readonly unknown[];
  readonly code?: number;
}

const NO_STRING = [null, 7, true, [], {}];
const NO_OBJECT = [null, 7, true, 'text', []];
const NO_LIST = [null, 7, true, 'text', {}];
const NO_BOOLEAN = [7, 'text', [], {}];
const NO_TTL = [true, 'text', [], {}, -1, 1.5, 1e300];
const NO_TOKEN = [null, true, 1.5, [], {}];
const MISSING = [undefined];

const META = 'io.modelcontextprotocol/';
const greet = { name: 'greet', arguments: { name: 'Ada' } };

/** What is wrong in the same way in both eras. */
const SHARED: readonly Field[] = [
  { method: 'tools/call', params: greet, path: ['name'], wrong: [...NO_STRING, ...MISSING, '', 'nobody', '__proto__'] },
  { method: 'tools/call', params: greet, path: ['arguments'], wrong: NO_OBJECT },
  { method: 'tools/call', params: { ...greet, _meta: {} }, path: ['_meta', 'progressToken'], wrong: NO_TOKEN },
  ...['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'].map((method) => ({
    method,
    params: {},
    path: ['cursor'],
    wrong: NO_STRING,
  })),
  ...listPrompts(),
  ...listCompletions(),
];

const INITIALIZE_FIELDS: readonly Field[] = [
  { method: 'initialize', params: INITIALIZE, path: ['protocolVersion'], wrong: [...NO_STRING, ...MISSING] },
  { method: 'initialize', params: INITIALIZE, path: ['capabilities'], wrong: [...NO_OBJECT, ...MISSING] },
  { method: 'initialize', params: INITIALIZE, path: ['clientInfo'], wrong: [...NO_OBJECT, ...MISSING] },
  { method: 'initialize', params: INITIALIZE, path: ['clientInfo', 'name'], wrong: [...NO_STRING, ...MISSING] },
  { method: 'initialize', params: INITIALIZE, path: ['clientInfo', 'version'], wrong: [...NO_STRING, ...MISSING] },
];

/** The wrong requests of an era, about the two tasks that are there. */
export function listWrongRequests(era: Era, tasks: Tasks): readonly WrongRequest[] {
  const fields = [...SHARED, ...(era === 'legacy' ? listLegacy(tasks) : listModern(tasks))];
  const foreign = FOREIGN_METHODS[era].filter((method) => method !== '');
  return [
    ...fields.map((field) => (era === 'modern' ? withEnvelope(field) : field)).flatMap(toRequests),
    ...foreign.map((method) => ({
      method,
      params: era === 'modern' ? { _meta: toEnvelope() } : {},
      code: -32601,
      what: 'is a method of nobody',
    })),
  ];
}

/** Handshakes that cannot succeed. */
export function listWrongHandshakes(): readonly WrongRequest[] {
  return INITIALIZE_FIELDS.flatMap(toRequests);
}

function listLegacy({ ended, asking }: Tasks): readonly Field[] {
  const job = { name: 'job', arguments: {}, task: { ttl: 60_000 } };
  const byTask = ['tasks/get', 'tasks/result', 'tasks/cancel'].map((method) => ({
    method,
    params: { taskId: ended },
    path: ['taskId'],
    wrong: [...NO_STRING, ...MISSING, '', 'nobody', '__proto__'],
  }));
  return [
    { method: 'logging/setLevel', params: {}, path: ['level'], wrong: [...NO_STRING, ...MISSING, 'loud'] },
    { method: 'tools/call', params: job, path: ['_meta'], wrong: NO_OBJECT },
    { method: 'tools/call', params: job, path: ['task'], wrong: NO_OBJECT },
    { method: 'tools/call', params: job, path: ['task', 'ttl'], wrong: NO_TTL },
    { method: 'tools/call', params: job, path: ['task'], wrong: MISSING, code: -32601 },
    { method: 'tools/call', params: greet, path: ['task'], wrong: [{}], code: -32601 },
    ...byTask,
    { method: 'tasks/result', params: { taskId: asking }, path: ['wait'], wrong: NO_BOOLEAN },
    { method: 'tasks/list', params: {}, path: ['cursor'], wrong: [...NO_STRING, '', 'nowhere'] },
  ];
}

function listModern({ ended, asking }: Tasks): readonly Field[] {
  const inputResponses = { sure: { action: 'accept', content: { sure: true } } };
  const update = { taskId: asking, inputResponses };
  const sign = { name: 'sign', inputResponses: { name: { action: 'accept', content: { name: 'Ada' } } } };
  const notifications = { taskIds: [ended], toolsListChanged: true, resourceSubscriptions: ['wire://note'] };
  const byTask = ['tasks/get', 'tasks/update', 'tasks/cancel'].map((method) => ({
    method,
    params: method === 'tasks/update' ? update : { taskId: ended },
    path: ['taskId'],
    wrong: [...NO_STRING, ...MISSING, '', 'nobody', '__proto__'],
  }));
  return [
    ...byTask,
    ...listAnswers('tasks/update', update, 'sure'),
    { method: 'tasks/update', params: update, path: ['inputResponses'], wrong: MISSING },
    ...listAnswers('tools/call', sign, 'name'),
    { method: 'tools/call', params: sign, path: ['requestState'], wrong: [...NO_STRING, 'forged'] },
    { method: 'subscriptions/listen', params: {}, path: ['notifications'], wrong: [...NO_OBJECT, ...MISSING] },
    { method: 'subscriptions/listen', params: { notifications }, path: ['notifications', 'taskIds'], wrong: NO_LIST },
    {
      method: 'subscriptions/listen',
      params: { notifications },
      path: ['notifications', 'taskIds', '0'],
      wrong: NO_STRING,
    },
    {
      method: 'subscriptions/listen',
      params: { notifications },
      path: ['notifications', 'toolsListChanged'],
      wrong: [null, ...NO_BOOLEAN],
    },
    {
      method: 'subscriptions/listen',
      params: { notifications },
      path: ['notifications', 'resourceSubscriptions'],
      wrong: NO_LIST,
    },
    ...listEnvelope(),
    ...listUndeclared({ ended, asking }),
  ];
}

function listAnswers(method: string, params: object, key: string): readonly Field[] {
  return [
    { method, params, path: ['inputResponses'], wrong: NO_OBJECT },
    { method, params, path: ['inputResponses', key], wrong: [...NO_OBJECT, {}] },
    { method, params, path: ['inputResponses', key, 'action'], wrong: [...NO_STRING, ...MISSING, 'perhaps'] },
    { method, params, path: ['inputResponses', key, 'content'], wrong: [...NO_OBJECT, ...MISSING, {}] },
    { method, params, path: ['inputResponses', key, 'content', key], wrong: [null, 7, [], {}] },
  ];
}

/** https://modelcontextprotocol.io/specification/2026-07-28/basic: every request says what it speaks. */
function listEnvelope(): readonly Field[] {
  const params = { _meta: toEnvelope() };
  const inMeta = (name: string, ...inner: string[]) => ['_meta', META + name, ...inner];
  return ['server/discover', 'tools/list'].flatMap((method) => [
    { method, params, path: ['_meta'], wrong: [...NO_OBJECT, ...MISSING] },
    { method, params, path: inMeta('protocolVersion'), wrong: [...NO_STRING] },
    { method, params, path: inMeta('clientInfo'), wrong: NO_OBJECT },
    { method, params, path: inMeta('clientInfo', 'name'), wrong: [...NO_STRING, ...MISSING] },
    { method, params, path: inMeta('clientInfo', 'version'), wrong: [...NO_STRING, ...MISSING] },
    { method, params, path: inMeta('clientCapabilities'), wrong: [...NO_OBJECT, ...MISSING] },
    { method, params, path: inMeta('clientCapabilities', 'elicitation'), wrong: NO_OBJECT },
    { method, params, path: inMeta('clientCapabilities', 'extensions'), wrong: NO_OBJECT },
  ]);
}

function listUndeclared({ ended, asking }: Tasks): readonly Field[] {
  const path = ['_meta', `${META}clientCapabilities`, 'extensions'];
  const wrong = [...MISSING, {}, { 'com.example/other': {} }];
  const requests = [
    { method: 'tools/call', params: { name: 'job' } },
    { method: 'tasks/get', params: { taskId: ended } },
    { method: 'tasks/update', params: { taskId: asking, inputResponses: {} } },
    { method: 'tasks/cancel', params: { taskId: ended } },
    { method: 'subscriptions/listen', params: { notifications: { taskIds: [ended] } } },
  ];
  const _meta = toEnvelope(CAPABILITIES);
  return requests.map(({ method, params }) => ({ method, params: { ...params, _meta }, path, wrong, code: -32021 }));
}

function listPrompts(): readonly Field[] {
  const prompt = { name: 'hello', arguments: { name: 'Ada' } };
  const read = { uri: 'wire://note' };
  return [
    { method: 'prompts/get', params: prompt, path: ['name'], wrong: [...NO_STRING, ...MISSING, 'nobody'] },
    { method: 'prompts/get', params: prompt, path: ['arguments'], wrong: [...NO_OBJECT, ...MISSING] },
    { method: 'prompts/get', params: prompt, path: ['arguments', 'name'], wrong: [...NO_STRING, ...MISSING] },
    { method: 'resources/read', params: read, path: ['uri'], wrong: [...NO_STRING, ...MISSING, '', 'nowhere'] },
  ];
}

function listCompletions(): readonly Field[] {
  const method = 'completion/complete';
  const argument = { name: 'name', value: 'a' };
  const byPrompt = { ref: { type: 'ref/prompt', name: 'hello' }, argument, context: { arguments: { name: 'x' } } };
  const byUri = { ref: { type: 'ref/resource', uri: 'wire://notes/{name}' }, argument };
  return [
    { method, params: byPrompt, path: ['ref'], wrong: [...NO_OBJECT, ...MISSING, {}] },
    { method, params: byPrompt, path: ['ref', 'type'], wrong: [...NO_STRING, ...MISSING, 'ref/nothing'] },
    { method, params: byPrompt, path: ['ref', 'name'], wrong: [...NO_STRING, ...MISSING, 'nobody'] },
    { method, params: byUri, path: ['ref', 'uri'], wrong: [...NO_STRING, ...MISSING, 'wire://nowhere/{name}'] },
    { method, params: byPrompt, path: ['argument'], wrong: [...NO_OBJECT, ...MISSING] },
    { method, params: byPrompt, path: ['argument', 'name'], wrong: [...NO_STRING, ...MISSING] },
    { method, params: byPrompt, path: ['argument', 'value'], wrong: [...NO_STRING, ...MISSING] },
    { method, params: byPrompt, path: ['context'], wrong: NO_OBJECT },
    { method, params: byPrompt, path: ['context', 'arguments'], wrong: NO_OBJECT },
    { method, params: byPrompt, path: ['context', 'arguments', 'name'], wrong: NO_STRING },
  ];
}

function withEnvelope(field: Field): Field {
  const { _meta } = field.params as { _meta?: object };
  return { ...field, params: { ...field.params, _meta: { ...toEnvelope(), ..._meta } } };
}

function toRequests({ method, params, path, wrong, code = -32602 }: Field): readonly WrongRequest[] {
  return wrong.map((value) => ({
    method,
    params: put(params, path, value),
    code,
    what: `${path.join('.')} is ${JSON.stringify(value) ?? 'missing'}`,
  }));
}
