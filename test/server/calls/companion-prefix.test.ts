/** Several servers in one agent: hosts that put the tools of all into one list, and hosts that tell them apart. */
import { createServer } from 'holdfast';
import { untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openHttp } from '../open-http.ts';
import { callModern, listModern, openPlain, readAdvice, taskOf, textOf } from '../plain-client.ts';

const PLAIN = ['task_wait', 'task_answer', 'task_cancel', 'task_list'];
const isCompanion = (name: string) => PLAIN.some((plain) => name.endsWith(plain));
const PREFIXING = [
  'claude-code',
  'codex-mcp-client',
  'github-copilot-developer',
  'gemini-cli-mcp-client',
  'opencode',
  'qwen-cli-mcp-client-reports',
  'Cline',
  'cursor-vscode',
];
const shown = (prefix: string) => PLAIN.map((name) => `${prefix}${name}`);

async function open(options = {}) {
  const rig = await openHttp();
  const url = await rig.serve(options);
  const listFor = async (name: string) => (await (await openPlain(url, { name })).toolNames()).filter(isCompanion);
  return { rig, url, listFor };
}

const toOption = (companionPrefix: unknown) =>
  companionPrefix === undefined ? {} : { companionPrefix: companionPrefix as string };

describe('two servers in one agent', () => {
  it('[HOSTS-153] share no name of the tools to wait with, and each hand-over names its own', async () => {
    const rig = await openHttp();
    // As OpenAI Agents does it: the modern era, no handshake, a name of its own making, and one list of all tools.
    const profiles = { raw: { giveUpMs: 40 } };
    const urls = await Promise.all(['reports', 'mail'].map((name) => rig.serve({ name, identity: name, profiles })));
    const tools = new Map<string, string>();
    for (const url of urls) {
      for (const name of (await listModern(url, false)).filter(isCompanion)) {
        expect(tools.has(name), `duplicate tool name: ${name}`).toBe(false);
        tools.set(name, url);
      }
    }
    expect([...tools.keys()]).toEqual([...shown('reports_'), ...shown('mail_')]);
    for (const url of urls) {
      const handed = await callModern(url, 'wait', { args: { gate: url } });
      const { name, args } = readAdvice(textOf(handed));
      expect(tools.get(name)).toBe(url);
      rig.open(url);
      await untilStatus(rig.tasks, taskOf(handed)?.taskId ?? '', 'completed');
      expect(textOf(await callModern(url, name, { args }))).toBe('waited');
    }
  });

  it('[HOSTS-154] keep their plain names for clients that name the server themselves', async () => {
    const { listFor } = await open();
    for (const client of PREFIXING) expect(await listFor(client), client).toEqual(PLAIN);
  });

  it('[HOSTS-153] carry the name of the server for those that do not, and for those nobody knows', async () => {
    const { listFor } = await open();
    for (const client of ['langchain', 'openai-agents', 'ai-sdk-mcp-client', 'continue-cli', 'reports', '']) {
      expect(await listFor(client), client).toEqual(shown('test_'));
    }
  });
});

describe('the tools to wait with', () => {
  it('[HOSTS-155] are called by either name, whichever was shown, and tell the shown one', async () => {
    const { rig, url } = await open({
      profiles: { plain: { giveUpMs: 40 }, cline: { giveUpMs: 40, prefixesTools: true } },
    });
    for (const [client, other] of [
      ['plain', ''],
      ['cline', 'test_'],
    ] as const) {
      const host = await openPlain(url, { name: client });
      const task_id = taskOf(await host.call('wait', { gate: client }))?.taskId ?? '';
      const prefix = other === '' ? 'test_' : '';
      const handed = textOf(await host.call(`${other}task_wait`, { task_id, wait_seconds: 0 }));
      expect(readAdvice(handed).name).toBe(`${prefix}task_wait`);
      expect(textOf(await host.call(`${other}task_list`))).toContain(`call ${prefix}task_wait with`);
      expect(textOf(await host.call(`${other}task_wait`, {}))).toContain(
        `Invalid arguments for tool ${other}task_wait`,
      );
      rig.open(client);
      await untilStatus(rig.tasks, task_id, 'completed');
      expect(textOf(await host.call(`${other}task_wait`, { task_id }))).toBe('waited');
    }
  });

  it.each([
    [true, 'test_'],
    [false, ''],
    ['staging', 'staging_'],
  ])('[HOSTS-156] are named as the owner says, for every client: %j', async (companionPrefix, prefix) => {
    const { listFor } = await open({ companionPrefix });
    expect(await listFor('claude-code')).toEqual(shown(prefix));
    expect(await listFor('somebody')).toEqual(shown(prefix));
  });

  it.each(['', 'a b', '-a', '1a', 'ä', 'a'.repeat(53), 5, null])(
    '[HOSTS-156] are not named by %j: it is refused by name',
    (companionPrefix) => {
      const create = () => createServer({ name: 'test', version: '1', ...toOption(companionPrefix) });
      expect(create).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
      expect(create).toThrow(
        `companionPrefix is ${JSON.stringify(companionPrefix)}; expected true, false or 1 to 52 of`,
      );
    },
  );

  it('[HOSTS-157] have names that every API takes, whatever the server is called, and no two servers the same', async () => {
    const long = 'x'.repeat(60);
    const servers = [
      '@acme/reports',
      '3d render',
      '日本',
      '韓国',
      `${long}1`,
      `${long}2`,
      'größe',
      'grüße',
      '--',
      'a.b',
    ];
    const rig = await openHttp();
    const list = async (options: object) => (await listModern(await rig.serve(options), false)).filter(isCompanion);
    const lists = await Promise.all(servers.map((name) => list({ name })));
    expect(lists[0]).toEqual(shown('acme_reports_'));
    const names = lists.flat();
    expect(names).toHaveLength(servers.length * PLAIN.length);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
    for (const name of await list({ companionPrefix: 'a'.repeat(52) })) expect(name.length).toBeLessThanOrEqual(64);
  });

  it("[HOSTS-158] keep their names: an owner's tool is refused, unless the prefix is another", () => {
    const server = createServer({ name: 'reports', version: '1' });
    expect(() => server.tool('reports_task_wait', { run: () => '' })).toThrow(
      "the name reports_task_wait belongs to a tool of the server's",
    );
    const other = createServer({ name: 'reports', version: '1', companionPrefix: 'other' });
    expect(() => other.tool('reports_task_wait', { run: () => '' })).not.toThrow();
    expect(() => other.tool('task_wait', { run: () => '' })).toThrow('belongs to a tool');
  });
});
