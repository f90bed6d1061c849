/** Published servers answer the same through a gateway as they do directly, but for a few fields that are named here. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { inRoot } from '../../../scripts/root.mjs';
import { fetchChromium, toCommand, toPlaywright } from './published-servers.ts';

const ANY = z.looseObject({});

interface Subject {
  readonly server: string;
  /** The command that starts it. */
  command(dir: string): Promise<readonly string[]>;
  /** Whether what it needs is there. @default true */
  readonly canRun?: boolean;
  /** Calls whose answers do not depend on the time or on what was called before. */
  readonly calls: readonly { readonly name: string; args(dir: string): Record<string, unknown> }[];
}

const chromium = await fetchChromium();

const ofReference = (server: string, ...args: string[]) =>
  toCommand({ name: `@modelcontextprotocol/server-${server}`, version: '2026.8.31', script: 'dist/index.js' }, ...args);

/** A page that is the same each time. */
const PAGE = 'data:text/html,<title>Page</title><h1>Hello</h1><button>Press</button>';

const SUBJECTS: readonly Subject[] = [
  {
    server: 'server-everything',
    command: () => ofReference('everything', 'stdio'),
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
    server: 'server-filesystem',
    command: (dir) => ofReference('filesystem', dir),
    calls: [
      { name: 'read_text_file', args: (dir) => ({ path: join(dir, 'a.txt') }) },
      { name: 'list_directory', args: (dir) => ({ path: dir }) },
      { name: 'read_text_file', args: () => ({ path: '/etc/hostname' }) },
    ],
  },
  {
    server: 'server-memory',
    command: () => ofReference('memory'),
    calls: [{ name: 'read_graph', args: () => ({}) }],
  },
  {
    server: '@playwright/mcp',
    command: (dir) => toPlaywright(chromium ?? '', dir),
    canRun: chromium !== undefined,
    calls: [
      { name: 'browser_navigate', args: () => ({ url: PAGE }) },
      { name: 'browser_snapshot', args: () => ({}) },
      { name: 'browser_evaluate', args: () => ({ function: '() => document.title' }) },
      { name: 'browser_tabs', args: () => ({ action: 'list' }) },
      { name: 'browser_wait_for', args: () => ({ text: 'Hello' }) },
      { name: 'browser_click', args: () => ({ target: 'e9999', element: 'nothing' }) },
      { name: 'browser_navigate', args: () => ({}) },
      { name: 'browser_close', args: () => ({}) },
    ],
  },
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

/** One request of every other method, with what the server itself has listed. */
async function askEverything(
  client: Client,
  { prompts, resources }: Pick<Awaited<ReturnType<typeof describeServer>>, 'prompts' | 'resources'>,
  hasLog: boolean,
) {
  const answers: Record<string, unknown> = {};
  const ask = async (method: string, params: Record<string, unknown> = {}) => {
    const asked = client.request({ method, params }, ANY);
    answers[`${method} ${JSON.stringify(params)}`] = await asked.catch(
      (error: { code?: unknown; message: string }) => ({
        code: error.code,
        message: error.message,
      }),
    );
  };
  const [firstPrompt, ...otherPrompts] = (prompts as { prompts?: { name: string }[] }).prompts ?? [];
  const [firstResource] = (resources as { resources?: { uri: string }[] }).resources ?? [];
  await ask('ping');
  await ask('x/no-such-method', { some: 'thing' });
  for (const { name } of firstPrompt ? [firstPrompt, ...otherPrompts] : []) await ask('prompts/get', { name });
  if (firstPrompt) {
    await ask('prompts/get', { name: 'no-such-prompt' });
    const ref = { type: 'ref/prompt', name: otherPrompts.at(-1)?.name ?? firstPrompt.name };
    await ask('completion/complete', { ref, argument: { name: 'department', value: 'E' } });
  }
  if (firstResource) {
    const { uri } = firstResource;
    for (const method of ['resources/read', 'resources/subscribe', 'resources/unsubscribe']) await ask(method, { uri });
    await ask('resources/read', { uri: 'no-such://resource' });
  }
  if (hasLog) await ask('logging/setLevel', { level: 'error' });
  return answers;
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

/** Files that a server writes have the time in their names. */
function withoutChance(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer).replace(/\d{4}-\d\d-\d\dT[\d-]+Z/g, 'TIME'));
}

describe.each(SUBJECTS)('$server', ({ command: toCommandOf, calls, canRun = true }) => {
  it.skipIf(!canRun)(
    '[GATE-120] answers the same through a gateway',
    async () => {
      const dir = await mkdtemp(join(tmpdir(), 'holdfast-transparent-'));
      onTestFinished(async () => {
        await until(() => rm(dir, { recursive: true, force: true }).then(() => true), { timeoutMs: 60_000 });
      });
      await writeFile(join(dir, 'a.txt'), 'one line\n');
      const command = await toCommandOf(dir);
      const env = { ...(process.env as Record<string, string>), HOLDFAST_DIR: join(dir, 'state') };
      const direct = await connect(command, env);
      const main = inRoot('dist', 'cli', 'main.js');
      const through = await connect([process.execPath, main, 'gateway', '--name', 'mirrored', '--', ...command], env);
      const [plain, gated] = [await describeServer(direct), await describeServer(through)];
      expect(withoutUndeclared({ ...gated, tools: withoutOwn(gated.tools) })).toEqual(
        withoutUndeclared({ ...plain, tools: withoutOwn(plain.tools) }),
      );
      // A gateway has a log of its own, also where the server has none.
      const hasLog = direct.getServerCapabilities()?.logging !== undefined;
      expect(withoutChance(await askEverything(through, plain, hasLog))).toEqual(
        withoutChance(await askEverything(direct, plain, hasLog)),
      );
      for (const call of calls) {
        const params = { name: call.name, arguments: call.args(dir) };
        const ask = (client: Client) =>
          client.request({ method: 'tools/call', params }, ANY).catch((error) => String(error));
        expect(withoutChance(await ask(through)), call.name).toEqual(withoutChance(await ask(direct)));
      }
    },
    120_000,
  );
});
