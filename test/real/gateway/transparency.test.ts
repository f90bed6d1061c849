/** Published servers answer the same through a gateway as they do directly, but for a few fields that are named here. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { fetchTool } from '../../../scripts/fetch-tool.mjs';
import { inRoot } from '../../../scripts/root.mjs';

const VERSION = '2026.8.31';
const ANY = z.looseObject({});

interface Subject {
  readonly server: string;
  args(dir: string): string[];
  /** Calls whose answers do not depend on the time or on what was called before. */
  readonly calls: readonly { readonly name: string; args(dir: string): Record<string, unknown> }[];
}

const SUBJECTS: readonly Subject[] = [
  {
    server: 'everything',
    args: () => ['stdio'],
    calls: [
      { name: 'echo', args: () => ({ message: 'hello' }) },
      { name: 'get-sum', args: () => ({ a: 2, b: 40 }) },
      { name: 'get-tiny-image', args: () => ({}) },
      { name: 'get-structured-content', args: () => ({ location: 'Chicago' }) },
      { name: 'get-annotated-message', args: () => ({ messageType: 'error', includeImage: true }) },
      { name: 'get-sum', args: () => ({ a: 'no number' }) },
    ],
  },
  {
    server: 'filesystem',
    args: (dir) => [dir],
    calls: [
      { name: 'read_text_file', args: (dir) => ({ path: join(dir, 'a.txt') }) },
      { name: 'list_directory', args: (dir) => ({ path: dir }) },
      { name: 'read_text_file', args: () => ({ path: '/etc/hostname' }) },
    ],
  },
  { server: 'memory', args: () => [], calls: [{ name: 'read_graph', args: () => ({}) }] },
];

async function connect(command: readonly string[], env: Record<string, string>): Promise<Client> {
  const [program = '', ...args] = command;
  const client = new Client({ name: 'transparent', version: '1' }, { capabilities: { roots: {}, sampling: {} } });
  const transport = new StdioClientTransport({ command: program, args, env, stderr: 'ignore' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** Every list a server has, and what it says of itself. */
async function describeServer(client: Client) {
  const list = async (method: string) => {
    try {
      return await client.request({ method, params: {} }, ANY);
    } catch (error) {
      return { error: (error as { code?: unknown }).code };
    }
  };
  return {
    serverInfo: client.getServerVersion(),
    instructions: client.getInstructions(),
    prompts: await list('prompts/list'),
    resources: await list('resources/list'),
    templates: await list('resources/templates/list'),
    tools: ((await list('tools/list')) as { tools: { name: string }[] }).tools,
  };
}

/** What the gateway says of its own: how a call can be waited for, and the tools to wait with. */
function withoutOwn(tools: readonly { readonly name: string }[]) {
  return tools
    .filter(({ name }) => !/(^|_)task_(wait|list|cancel|answer)$/.test(name))
    .map((tool) => ({ ...tool, async: undefined, execution: undefined }));
}

/** Lists that a server has not declared are empty through the gateway, and an error without it. */
function withoutUndeclared<T extends object>(description: T) {
  return Object.fromEntries(
    Object.entries(description).map(([name, value]) => {
      const isNothing = JSON.stringify(value) === '{"error":-32601}' || /^\{"\w+":\[\]\}$/.test(JSON.stringify(value));
      return [name, isNothing ? 'nothing' : value];
    }),
  );
}

describe.each(SUBJECTS)('server-$server', ({ server, args, calls }) => {
  it('[GATE-120] answers the same through a gateway', async () => {
    const name = `@modelcontextprotocol/server-${server}`;
    const folder = await fetchTool({ name, version: VERSION });
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-transparent-'));
    onTestFinished(async () => {
      await until(() => rm(dir, { recursive: true, force: true }).then(() => true), { timeoutMs: 60_000 });
    });
    await writeFile(join(dir, 'a.txt'), 'one line\n');
    const command = [process.execPath, join(folder, 'node_modules', name, 'dist', 'index.js'), ...args(dir)];
    const env = { ...(process.env as Record<string, string>), HOLDFAST_DIR: join(dir, 'state') };
    const direct = await connect(command, env);
    const main = inRoot('dist', 'cli', 'main.js');
    const through = await connect([process.execPath, main, 'gateway', '--name', server, '--', ...command], env);
    const [plain, gated] = [await describeServer(direct), await describeServer(through)];
    expect(withoutUndeclared({ ...gated, tools: withoutOwn(gated.tools) })).toEqual(
      withoutUndeclared({ ...plain, tools: withoutOwn(plain.tools) }),
    );
    for (const call of calls) {
      const params = { name: call.name, arguments: call.args(dir) };
      const ask = (client: Client) =>
        client.request({ method: 'tools/call', params }, ANY).catch((error) => String(error));
      expect(await ask(through), call.name).toEqual(await ask(direct));
    }
  }, 120_000);
});
