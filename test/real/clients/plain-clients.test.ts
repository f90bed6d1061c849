import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { fetchInspector } from '../../../scripts/fetched/inspector.mjs';
import { fetchMcporter } from '../../../scripts/fetched/mcporter.mjs';
import { openSite, type Site } from '../../e2e/site.ts';
import { readAdvice } from '../../server/plain-client.ts';

/** Long for these programs under load; their own limit is 60 s, and the server is told that it is this. */
const LIMIT_MS = 20_000;
const WORK_MS = 25_000;
const WHOLE_MS = 300_000;

/** Calls one tool of the site's server as a program of its own; the text of the result. */
type Call = (site: Site, name: string, args: Readonly<Record<string, unknown>>) => Promise<string>;

const callByInspector: Call = async (site, name, args) => {
  const { node, inspector } = await fetchInspector();
  const toolArgs = Object.entries(args).flatMap(([key, value]) => ['--tool-arg', `${key}=${value}`]);
  const { command, args: program } = site.command;
  const target = { mcpServers: { plain: { command, args: program } } };
  const config = join(site.dir, 'servers.json');
  await writeFile(config, JSON.stringify(target));
  const how = ['--cli', '--config', config, '--server', 'plain', '--protocol-era', 'legacy'];
  const out = await run(
    [node, inspector, ...how, '--method', 'tools/call', '--tool-name', name, ...toolArgs],
    site.dir,
  );
  return (JSON.parse(out) as { content: { text: string }[] }).content[0]?.text ?? '';
};

const callByMcporter: Call = async (site, name, args) => {
  const { node, mcporter } = await fetchMcporter();
  const { command, args: program } = site.command;
  const config = join(site.dir, 'mcporter.json');
  await writeFile(config, JSON.stringify({ mcpServers: { plain: { command, args: program } } }));
  const how = ['--config', config, 'call', `plain.${name}`, '--args', JSON.stringify(args), '--timeout', `${LIMIT_MS}`];
  return (await run([node, mcporter, ...how], site.dir)).trim();
};

async function run([command = '', ...args]: readonly string[], home: string): Promise<string> {
  const env = { ...process.env, HOME: home, MCP_INSPECTOR_SECRET_STORE: 'memory', NODE_NO_WARNINGS: '1' };
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  const [out, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await closed) as [number | null];
  expect(code, complaints).toBe(0);
  return out;
}

/** A server that takes both for clients that give up soon. */
async function openImpatient() {
  const site = await openSite('plain-server');
  const profiles = { inspector: { giveUpMs: LIMIT_MS }, mcporter: { giveUpMs: LIMIT_MS } };
  await writeFile(join(site.dir, 'options.json'), JSON.stringify({ profiles, marginMs: 14_000 }));
  return site;
}

describe.each([
  ['MCP Inspector --cli', callByInspector],
  ['mcporter', callByMcporter],
])('%s, which knows nothing of tasks here', (_, call) => {
  it(
    'runs a tool longer than its time-out to the end, by waiting as it is told',
    async () => {
      const site = await openImpatient();
      const texts: string[] = [];
      let next: { name: string; args: object } = { name: 'work', args: { ms: WORK_MS } };
      while (next.name !== '') {
        texts.push(await call(site, next.name, { ...next.args }));
        next = readAdvice(texts.at(-1) ?? '');
      }
      expect(texts.at(-1)).toBe('work done');
      expect(texts.length).toBeGreaterThan(1);
      expect(site.runs()).toEqual(['work 1']);
    },
    WHOLE_MS,
  );

  it(
    'that makes the same call again, in a new process, joins the first',
    async () => {
      const site = await openImpatient();
      const texts: string[] = [];
      // What follows says that it is the result of the call before.
      while (!texts.at(-1)?.startsWith('work done')) texts.push(await call(site, 'work', { ms: WORK_MS }));
      expect(texts.length).toBeGreaterThan(1);
      expect(site.runs()).toEqual(['work 1']);
    },
    WHOLE_MS,
  );
});
