import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startDemo } from '../../scripts/servers/demo-server.mjs';
import { runCli, startCli } from '../cli/run-cli.ts';
import { builtPath } from '../programs/program-path.js';

const ME = { name: 'test', version: '1.0.0' };
const text = (words: string) => ({ content: [{ type: 'text', text: words }] });

function createClient(mode: 'auto' | 'legacy'): Client {
  const client = new Client(ME, { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } });
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    return { action: 'accept', content: { answer: `to ${params.message}`, confirm: true } };
  });
  return client;
}

describe.each(['auto', 'legacy'] as const)('the demo over HTTP, era %s', (mode) => {
  let demo: Awaited<ReturnType<typeof startDemo>>;
  const client = createClient(mode);
  const call = (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args });

  beforeAll(async () => {
    demo = await startDemo();
    await client.connect(new StreamableHTTPClientTransport(new URL(demo.url)));
  });
  afterAll(async () => {
    await client.close();
    await demo?.stop();
  });

  it.each([
    ['greet', { name: 'Ada' }, text('Hello, Ada!')],
    ['add', { a: 1, b: 2 }, { structuredContent: { sum: 3 } }],
    ['slow_compute', { seconds: 0.1, label: 'x' }, text('x: worked for 0.1 s')],
    ['sleep', { ms: 20, note: 'well' }, text('slept 20 ms: well')],
    ['confirm_delete', { filename: 'a.txt' }, text('a.txt would be gone now')],
    ['interview', { questions: ['A?', 'B?'] }, text('to A?; to B?')],
    ['fail', {}, { ...text('failed on purpose after 0 ms'), isError: true }],
    ['fail', { how: 'result' }, { ...text('failed politely'), isError: true }],
    ['chatty', {}, text('printed 3 times')],
    ['stream', { pieces: 3, everyMs: 1 }, text('streamed 3 pieces')],
    ['run_program', { seconds: 0 }, text('the program ended with 0')],
    ['json_schema_2020_12_tool', { name: 'Ada' }, { isError: true }],
    ['json_schema_2020_12_tool', { email: 'a@b' }, text('{"email":"a@b"}')],
  ])('%s %j is answered', async (name, args, answer) => {
    expect(await call(name, args)).toMatchObject(answer);
  });

  it('errors of the protocol stay errors', async () => {
    await expect(call('fail', { how: 'protocol' })).rejects.toMatchObject({ code: -32000 });
    const code = mode === 'auto' ? -32021 : -32601;
    await expect(call('sleep_once', { ms: 1 })).rejects.toMatchObject({ code });
  });

  it('prompts, resources and completion are served', async () => {
    const ref = { type: 'ref/prompt', name: 'test_prompt_with_arguments' } as const;
    const { completion } = await client.complete({ ref, argument: { name: 'arg1', value: 'par' } });
    expect(completion.values).toEqual(['paris', 'parma']);
    expect((await client.listPrompts()).prompts).toHaveLength(5);
    expect((await client.listResources()).resources).toHaveLength(3);
    const { contents } = await client.readResource({ uri: 'test://template/7/data' });
    expect(contents).toMatchObject([{ text: expect.stringContaining('Data for ID: 7') }]);
  });
});

describe('the demo over stdio', () => {
  it('answers, whatever its tools print', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-demo-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const client = createClient('auto');
    const args = [builtPath('cli/main.js'), 'demo', '--conformance'];
    const env = { ...process.env, HOLDFAST_DIR: folder } as Record<string, string>;
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
    onTestFinished(() => client.close());
    const chats = Array.from({ length: 5 }, () => client.callTool({ name: 'chatty', arguments: { lines: 50 } }));
    expect(await Promise.all(chats)).toMatchObject(chats.map(() => text('printed 50 times')));
    expect(await client.callTool({ name: 'greet', arguments: { name: 'Ada' } })).toMatchObject(text('Hello, Ada!'));
  });
});

describe('holdfast demo', () => {
  it('[FIRST-419] shows eight tools, and those of the official suite when asked', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-demo-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const list = async (...options: string[]) => {
      const command = ['--pass-env=HOLDFAST_TEST_FILE', '--json', '--', process.execPath, builtPath('cli/main.js')];
      const { stdout } = await runCli(['tools', ...command, 'demo', ...options], { HOLDFAST_DIR: folder });
      const names = stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as { name: string }).name);
      return names.filter((name) => !name.startsWith('task_'));
    };
    const shown = ['greet', 'sleep', 'sleep_once', 'confirm_delete', 'interview', 'fail', 'stream', 'run_program'];
    expect(await list()).toEqual(shown);
    expect(await list('--conformance')).toEqual(expect.arrayContaining([...shown, 'test_simple_text']));
  });

  it('prints where it listens, and ends when told to', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-demo-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const child = startCli(['demo', '--http', '0', '--json'], { HOLDFAST_DIR: folder });
    const exit = once(child, 'exit');
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    const { url, port } = JSON.parse(line);
    expect(url).toBe(`http://127.0.0.1:${port}/mcp`);
    expect((await fetch(new URL('/other', url))).status).toBe(404);
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });

  it('names the ports that are expected', async () => {
    const { code, stderr } = await runCli(['demo', '--http', '70000']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'holdfast: --http is "70000"; expected a whole number from 0 to 65535\n',
    });
  });
});
