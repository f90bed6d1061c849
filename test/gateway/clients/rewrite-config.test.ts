import { describe, expect, it } from 'vitest';
import { CLIENT_NAMES } from '../../../src/gateway/clients/client-names.ts';
import { CLIENTS } from '../../../src/gateway/clients/client-table.ts';
import type { ClientServer } from '../../../src/gateway/clients/find-servers.ts';
import {
  listChanges,
  listConfigServers,
  planConfig,
  restoreConfig,
} from '../../../src/gateway/clients/rewrite-config.ts';
import { recordedConfigs } from './recorded-configs.ts';

const gateway = { command: '/usr/bin/node', args: ['/opt/holdfast/main.js'] };

function open(client: string, text: string) {
  const found = CLIENTS.find(({ name }) => name === client);
  if (!found) throw new Error(`no client ${client}`);
  return { client: found, file: 'config', text };
}

function install(client: string, text: string, names?: readonly string[]) {
  const config = open(client, text);
  const isWanted = ({ name }: ClientServer) => names === undefined || names.includes(name);
  const planned = planConfig(config, { gateway, isWanted });
  return { ...planned, changes: listChanges(config, planned) };
}

// A variable of VS Code's.
const INPUT = ['$', '{input:k}'].join('');

const toWords = ({ endpoint }: ClientServer) => (endpoint.kind === 'program' ? endpoint.words : [endpoint.kind]);
const COMMENT = /\/\/[^"\n]*$|\/\*.*?\*\/|(?<=\s)#[^\n]*/gm;

describe('a client', () => {
  it('[GATE-300] of every name has a recorded file', () => {
    expect(recordedConfigs.map(({ client }) => client)).toEqual([...CLIENT_NAMES]);
  });

  describe.each(recordedConfigs)('$client', ({ client, text, servers }) => {
    it('[GATE-300] starts each of its servers through the gateway, with the words it had', () => {
      const after = listConfigServers(open(client, install(client, text).text));
      const words = Object.fromEntries(after.map((server) => [server.name, toWords(server)]));
      const own = (name: string) => [gateway.command, ...gateway.args, 'gateway', '--name', name, '--'];
      const expected = Object.entries(servers).map(([name, program]) => [name, [...own(name), ...program]]);
      expect(words).toEqual(Object.fromEntries(expected));
    });

    it('[GATE-301] keeps its comments, and every line that no server stands on', () => {
      const after = install(client, text).text;
      expect(after.match(COMMENT)).toEqual(text.match(COMMENT));
      const untouched = text.split('\n').filter((line) => !/command|args|path/.test(line));
      expect(after.split('\n')).toEqual(expect.arrayContaining(untouched));
    });

    it('[GATE-302] is put back letter by letter', () => {
      const { text: after, changes } = install(client, text);
      const restored = restoreConfig(open(client, after), changes);
      expect(restored.text).toBe(text);
      expect(restored.entries.map(({ restored: how }) => how)).toEqual(changes.map(() => 'exactly'));
    });

    it('[GATE-303] is not changed a second time', () => {
      const once = install(client, text).text;
      const twice = install(client, once);
      expect(twice.text).toBe(once);
      expect(new Set(twice.servers.map(({ plan }) => plan.kind))).toEqual(new Set(['already']));
    });
  });
});

describe('an entry', () => {
  const two = '{ "mcpServers": { "a": { "command": "a" }, "b": { "command": "b" } } }';

  it('[GATE-304] that was not asked for stays as it is', () => {
    const { text } = install('cursor', two, ['b']);
    expect(text).toContain('"a": { "command": "a" }');
    expect(text).toContain('"gateway", "--name", "b"');
  });

  it('[GATE-302] is put back beside entries that came later', () => {
    const { text, changes } = install('cursor', two, ['a']);
    const later = text.replace('"b": {', '"c": { "command": "c" }, "b": {');
    expect(restoreConfig(open('cursor', later), changes).text).toBe(
      two.replace('"b": {', '"c": { "command": "c" }, "b": {'),
    );
  });

  it('[GATE-302] is put back in its meaning where the client has written its file anew', () => {
    const { text, changes } = install('claude-code', '{"mcpServers":{"a":{"command":"a","args":["1",   "2"]}}}');
    const anew = JSON.stringify(JSON.parse(text), undefined, 4);
    const restored = restoreConfig(open('claude-code', anew), changes);
    expect(restored.entries.map(({ restored: how }) => how)).toEqual(['in meaning']);
    expect(JSON.parse(restored.text)).toEqual({ mcpServers: { a: { command: 'a', args: ['1', '2'] } } });
  });

  it('[GATE-302] that was changed by hand, or is gone, is told and not touched', () => {
    const { text, changes } = install('cursor', two);
    const byHand = text.replace(/"a": \{.*?\}/, '"a": { "command": "mine" }').replace(/, "b": \{.*?\}/, '');
    const restored = restoreConfig(open('cursor', byHand), changes);
    expect(restored.entries.map(({ restored: how }) => how)).toEqual(['changed', 'gone']);
    expect(restored.text).toBe(byHand);
  });

  it('[GATE-305] with a URL becomes a program, and its headers become variables', () => {
    const text = `{ "servers": { "far": { "type": "http", "url": "https://x/mcp", "headers": { "X-Api-Key": "${INPUT}" /* k */ } } } }`;
    const { text: after, changes } = install('vscode', text);
    const [, json = ''] = /("far": .*?) \} \}$/.exec(after.replace('/* k */', '')) ?? [];
    expect(JSON.parse(`{${json}}`)).toEqual({
      far: {
        type: 'stdio',
        command: gateway.command,
        args: [...gateway.args, 'gateway', '--name', 'far', '--url', 'https://x/mcp'],
        env: { HOLDFAST_HEADER_X_API_KEY: INPUT },
      },
    });
    expect(after).toContain('/* k */');
    expect(restoreConfig(open('vscode', after), changes).text).toBe(text);
  });

  it('[GATE-305] of Codex with a token in a variable hands over the variable', () => {
    const text = '[mcp_servers.far]\nurl = "https://x/mcp" # far\nbearer_token_env_var = "TOKEN"\n';
    const { text: after, changes } = install('codex', text);
    expect(after).toBe(
      '[mcp_servers.far]\nargs = ["/opt/holdfast/main.js", "gateway", "--name", "far", "--url", "https://x/mcp", ' +
        '"--bearer-env", "TOKEN"]\ncommand = "/usr/bin/node" # far\nenv_vars = ["TOKEN"]\n',
    );
    expect(restoreConfig(open('codex', after), changes).text).toBe(text);
  });

  it('[GATE-305] of TOML is found in inline tables and dotted keys too', () => {
    const text = '[mcp_servers]\na = { command = "a" }\nb.command = "b"\nb.http_headers.X = "1"\n';
    const { text: after, changes } = install('codex', text);
    expect(after).toContain('a = { args = [');
    expect(after).toContain('\nb.args = [');
    expect(restoreConfig(open('codex', after), changes).text).toBe(text);
  });

  it.each([
    ['cursor', '{ "type": "sse", "url": "https://x/sse" }', 'HTTP+SSE'],
    ['gemini', '{ "url": "https://x/sse" }', 'HTTP+SSE'],
    ['cursor', '{ "command": 5 }', 'its command is no text'],
    ['cursor', '{ "command": "x", "args": [1] }', 'its args are no list of texts'],
    ['cursor', '{ "url": "https://x", "headers": { "a_b": "c" } }', 'its header "a_b"'],
    ['cursor', '{ "url": "https://x", "auth": { "CLIENT_ID": "c" } }', 'it has auth'],
  ])('[GATE-306] of %s that the gateway cannot serve is left, and told why: %s', (client, entry, why) => {
    const text = `{ "mcpServers": { "a": ${entry} } }`;
    const { text: after, servers } = install(client, text);
    expect(after).toBe(text);
    expect(servers[0]?.plan).toEqual({ kind: 'refused', why: expect.stringContaining(why) });
  });

  it.each([
    ['cursor', '{ "mcpServers": { "a": { "command": } } }\n', 'line 1'],
    ['cursor', '[]', 'it is no object'],
    ['codex', 'a = 1\n[mcp_servers', 'line 2'],
  ])('[GATE-306] in a file of %s that cannot be read is left, and the line is named: %s', (client, text, told) => {
    expect(() => install(client, text)).toThrow(told);
  });
});
