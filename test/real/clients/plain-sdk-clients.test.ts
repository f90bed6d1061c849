import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSite, type Site } from '../../e2e/site.ts';
import { readAdvice } from '../../server/plain-client.ts';

const LIMIT_MS = 2000;
const WORK_MS = 3 * LIMIT_MS;
const PROFILES = { 'gives up': { giveUpMs: LIMIT_MS }, 'is patient': { giveUpMs: LIMIT_MS, progressResets: true } };
const PROGRESS = { onprogress: () => {}, resetTimeoutOnProgress: true };

type Medium = 'stdio' | 'http';
type Name = 'gives-up' | 'is-patient';
type Result = { content: { text: string }[] };
type Call = (name: string, args: object, options: object) => Promise<unknown>;

async function openPlainSite(): Promise<Site> {
  const site = await openSite('plain-server');
  const options = { profiles: PROFILES, marginMs: 1000, progressEveryMs: 300 };
  await writeFile(join(site.dir, 'options.json'), JSON.stringify(options));
  return site;
}

const CLIENTS = {
  'SDK 1.32': async (site: Site, medium: Medium, name: Name): Promise<Call> => {
    const client = new LegacyClient({ name, version: '1.0.0' });
    const transport =
      medium === 'stdio' ? new LegacyStdio(site.command) : new LegacyHttp(new URL((await site.serve()).url));
    await client.connect(transport as LegacyStdio);
    onTestFinished(() => client.close());
    return (tool, args, options) => client.callTool({ name: tool, arguments: { ...args } }, undefined, options);
  },
  'client 2.4, legacy': (site: Site, medium: Medium, name: Name) =>
    connectModern(site, { medium, name, mode: 'legacy' }),
  'client 2.4, modern': (site: Site, medium: Medium, name: Name) => connectModern(site, { medium, name, mode: 'auto' }),
};

async function connectModern(
  site: Site,
  { medium, name, mode }: { medium: Medium; name: Name; mode: 'legacy' | 'auto' },
): Promise<Call> {
  const client = new ModernClient({ name, version: '1.0.0' }, { versionNegotiation: { mode } });
  const transport =
    medium === 'stdio' ? new ModernStdio(site.command) : new ModernHttp(new URL((await site.serve()).url));
  await client.connect(transport);
  onTestFinished(() => client.close());
  return (tool, args, options) => client.callTool({ name: tool, arguments: { ...args } }, options);
}

/** Calls and does as it is told until there is a result. */
async function runToEnd(call: Call, options: object) {
  // The worker is there before the clock runs.
  await call('work', { ms: 0, label: 'first' }, {});
  const texts: string[] = [];
  let next: { name: string; args: object } = { name: 'work', args: { ms: WORK_MS } };
  while (next.name !== '') {
    const { content } = (await call(next.name, next.args, { timeout: LIMIT_MS, ...options })) as Result;
    texts.push(content[0]?.text ?? '');
    next = readAdvice(texts.at(-1) ?? '');
  }
  return texts;
}

const MEDIA = ['stdio', 'http'] as const;
const CASES = Object.keys(CLIENTS).flatMap((client) => MEDIA.map((medium) => [client, medium] as const));

describe.each(CASES)('%s over %s, which knows nothing of tasks', (name, medium) => {
  const connect = CLIENTS[name as keyof typeof CLIENTS];

  it('[HOLD-16] runs a tool three times longer than its time-out to the end, by waiting as it is told', async () => {
    const site = await openPlainSite();
    const texts = await runToEnd(await connect(site, medium, 'gives-up'), {});
    expect(texts.at(-1)).toBe('work done');
    expect(texts.length).toBeGreaterThan(2);
    expect(texts.length).toBeLessThan(10);
    expect(site.runs()).toEqual(['first 1', 'work 1']);
  });
});

// What the server does with progress does not depend on the medium.
describe.each(Object.entries(CLIENTS))('%s, which asks for progress', (_name, connect) => {
  it('[HOLD-16] does so as well when it hears of progress that does not count for the server', async () => {
    const site = await openPlainSite();
    const texts = await runToEnd(await connect(site, 'stdio', 'gives-up'), PROGRESS);
    expect(texts.at(-1)).toBe('work done');
    expect(site.runs()).toEqual(['first 1', 'work 1']);
  });

  it('[HOLD-16] does so in one call when progress restarts its clock', async () => {
    const site = await openPlainSite();
    const texts = await runToEnd(await connect(site, 'http', 'is-patient'), PROGRESS);
    expect(texts).toEqual(['work done']);
    expect(site.runs()).toEqual(['first 1', 'work 1']);
  });
});
