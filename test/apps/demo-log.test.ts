import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDemo } from '../../scripts/servers/demo-server.mjs';
import { post } from '../server/open-http.ts';

const META = 'io.modelcontextprotocol/';

interface Answer {
  /** What was logged before the answer came. */
  readonly logged: readonly unknown[];
  readonly result: Record<string, unknown> & { readonly requestState?: string };
}

describe('what a tool logs, era 2026-07-28', () => {
  let demo: Awaited<ReturnType<typeof startDemo>>;
  beforeAll(async () => {
    demo = await startDemo();
  });
  afterAll(() => demo?.stop());

  async function call(level: string | undefined, params: Record<string, unknown>): Promise<Answer> {
    const _meta = {
      [`${META}protocolVersion`]: '2026-07-28',
      [`${META}clientCapabilities`]: { elicitation: {} },
      ...(level !== undefined && { [`${META}logLevel`]: level }),
    };
    const response = await post(demo.url, {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { arguments: {}, ...params, _meta } },
      headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': String(params.name) },
    });
    const messages = toMessages(await response.text());
    const logs = messages.filter(({ method }) => method === 'notifications/message');
    return { logged: logs.map(({ params: log }) => log?.data), result: messages.at(-1)?.result as Answer['result'] };
  }

  const lines = ['Tool execution started', 'Tool processing data', 'Tool execution completed'];
  it.each([
    ['info', lines],
    ['error', []],
    [undefined, []],
  ])('is sent as far as the request asks for it: %s', async (level, expected) => {
    expect((await call(level, { name: 'test_tool_with_logging' })).logged).toEqual(expected);
  });

  it('is not sent again when a held call goes on after a question', async () => {
    const params = { name: 'interview', arguments: { questions: ['A?', 'B?'] } };
    const first = await call('info', params);
    expect(first).toMatchObject({ logged: ['asking: A?'], result: { resultType: 'input_required' } });
    const goOn = ({ result }: Answer, key: string) => {
      const inputResponses = { [key]: { action: 'accept', content: { answer: key } } };
      return call('info', { ...params, requestState: result.requestState, inputResponses });
    };
    const second = await goOn(first, 'q1');
    expect(second).toMatchObject({ logged: ['asking: B?'], result: { resultType: 'input_required' } });
    const last = await goOn(second, 'q2');
    expect(last).toMatchObject({ logged: [], result: { content: [{ type: 'text', text: 'q1; q2' }] } });
  });
});

type Message = { method?: string; params?: { data?: unknown }; result?: unknown };

/** The messages of an answer, whether it came as JSON or as a stream. */
function toMessages(body: string): Message[] {
  if (body.startsWith('{')) return [JSON.parse(body)];
  const data = body.split('\n').filter((line) => line.startsWith('data: {'));
  return data.map((line) => JSON.parse(line.slice('data:'.length)));
}
