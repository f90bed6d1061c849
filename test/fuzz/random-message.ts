/**
 * Random messages made from good ones, each with what the server may answer.
 */
import fc from 'fast-check';
import { FOREIGN_METHODS, type GoodRequest } from './good-requests.ts';
import { toHeaders } from './http-peer.ts';
import { listPaths, put } from './mutate.ts';
import { DEEP, type Era, HUGE, type Outgoing, STEEP, toRequest } from './peer.ts';

export interface RandomMessage extends Outgoing {
  /** Codes that the kind of mistake allows, besides -32600 for what goes too deep; a result is always allowed, for many a change changes nothing. */
  readonly codes: readonly number[];
}

/**
 * What each kind of mistake may be answered with. Never -32603: whatever a client sends, an internal error is ours.
 * A message of no era at all is taken for one of a session (-32000) over HTTP.
 */
const CODES = {
  field: { legacy: [-32602, -32601, -32002, -32800], modern: [-32602, -32021, -32020, -32022] },
  method: { legacy: [-32601], modern: [-32601, -32020] },
  notification: { legacy: [], modern: [] },
  envelope: {
    legacy: [-32600, -32601, -32602, -32002, -32800],
    modern: [-32600, -32601, -32602, -32020, -32000],
  },
  response: { legacy: [-32600, -32602], modern: [-32600, -32000] },
  anything: { legacy: [-32600], modern: [-32600, -32000] },
  header: { legacy: [], modern: [-32020, -32022, -32602] },
} as const;

const hostile = fc.oneof(
  { weight: 6, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  fc.constantFrom<unknown>(undefined, null, '', '__proto__', 'constructor', -0, 2 ** 53, 1e308, '\ud800', '\u0000'),
  fc.constantFrom<unknown>(JSON.parse('{"__proto__":{"polluted":true}}'), { constructor: { prototype: {} } }),
  { weight: 1, arbitrary: fc.constantFrom<unknown>(HUGE, STEEP, DEEP, { [HUGE]: STEEP }) },
);

/** Any message a client of an era could send, from good to nonsense. */
export function randomMessage(era: Era, goods: readonly GoodRequest[]): fc.Arbitrary<RandomMessage> {
  const good = fc
    .tuple(fc.constantFrom(...goods), fc.integer({ min: 1, max: 1e9 }))
    .map(([{ method, params }, id]) => toRequest(era, { id, method, params }));
  const kinds = {
    field: good.chain(withWrongFields),
    method: fc
      .tuple(good, fc.oneof(fc.constantFrom(...FOREIGN_METHODS[era]), fc.string()))
      .map(([request, method]) => ({ ...request, method })),
    notification: good.map(({ id: _, ...rest }) => rest),
    envelope: fc
      .tuple(good, fc.constantFrom('jsonrpc', 'id', 'method', 'params'), hostile)
      .map(([request, member, value]) => put(request, [member], value)),
    response: fc
      .tuple(fc.oneof(fc.string(), fc.integer(), fc.constant('holdfast:nobody:q1')), hostile)
      .map(([id, result]) => ({ jsonrpc: '2.0', id, result })),
    anything: hostile.map((value) => value ?? null),
  };
  const weighted = Object.entries(kinds).map(([kind, messages]) => ({
    weight: kind === 'field' ? 6 : 1,
    arbitrary: messages.map((message: unknown) => ({ message, codes: CODES[kind as keyof typeof kinds][era] })),
  }));
  return fc.oneof(...weighted, ...(era === 'modern' ? [{ weight: 1, arbitrary: wrongHeader(good) }] : []));
}

type Request = ReturnType<typeof toRequest>;

/** Up to three fields replaced, taken away or added. */
function withWrongFields(request: Request): fc.Arbitrary<unknown> {
  const known = fc.constantFrom(...listPaths(request.params), ['more']);
  const added = fc.string({ minLength: 1 }).map((name) => [name]);
  const place = fc.oneof({ weight: 5, arbitrary: known }, added);
  return fc
    .array(fc.tuple(place, hostile), { maxLength: 3 })
    .map((changes) => changes.reduce<unknown>((params, [path, value]) => put(params, path, value), request.params))
    .map((params) => ({ ...request, params }));
}

function wrongHeader(good: fc.Arbitrary<Request>): fc.Arbitrary<RandomMessage> {
  const names = fc.constantFrom('mcp-protocol-version', 'mcp-method', 'mcp-name');
  const values = fc.option(fc.stringMatching(/^[!-~]{0,20}$/), { nil: undefined });
  return fc.tuple(good, names, values).map(([message, name, value]) => ({
    message,
    headers: { ...toHeaders(message), [name]: value },
    codes: CODES.header.modern,
  }));
}
