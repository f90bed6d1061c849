import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Call, JsonObject } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createGate } from '../../engine/open-rig.ts';
import { textOf } from '../../host/open-host.ts';
import { type CodexSite, type HostedBy, openCodex } from './open-codex.ts';
import type { ModelStep } from './responses-api.ts';

const RUN = 'codex_app_window_run';
const WAIT = { timeoutMs: 60_000 };

/**
 * What is only there when a run of workspace-write can leave its workspace. Codex counts directories for temporary files
 * as part of it, and a clone may lie in one of them.
 */
const OUTSIDE = join(homedir(), `.holdfast-outside-${randomUUID()}`);

const looked = createGate();

const PLANS: Readonly<Record<string, readonly ModelStep[]>> = {
  'show the work': [
    { say: 'I look around first.', shell: 'echo found > found.txt && cat given.txt' },
    { patch: '*** Update File: given.txt\n@@\n-before\n+after', after: looked.opened },
    { say: 'The work is done.' },
  ],
  'leave the workspace': [{ shell: `touch inside.txt; touch '${OUTSIDE}'` }, { say: 'I tried.' }],
  'change the state': [
    { shell: 'touch inside.txt; touch ../../data/planted ../../codex/planted' },
    { say: 'I tried.' },
  ],
  'quick work': [{ patch: '*** Add File: notes.md\n+a note' }, { say: 'All of it is done.' }],
};

/** How a call is made, the dialect it is followed by, and the answer that it waits for. */
interface Way {
  readonly dialect: string;
  readonly how?: HostedBy;
  readonly meta?: JsonObject;
}

const PLAIN = { stream: false };

const WAYS: Readonly<Record<string, Way>> = {
  'a stream': { dialect: 'stream' },
  'a stream, from a server of the older era': { dialect: 'stream', how: { legacy: true } },
  'a task of 2026-07-28': { dialect: 'tasks-2026', meta: PLAIN },
  'a task of 2025-11-25': { dialect: 'tasks-2025', meta: PLAIN, how: { legacy: true } },
  'a job': { dialect: 'job', meta: { ...PLAIN, 'holdfast/job': true } },
  'the log of prompts': { dialect: 'ui-prompts', how: { callMeta: { asyncTask: { tools: [RUN] } } } },
};

/** The last answer of the model is held back until the call has been acknowledged. */
const acknowledged = Object.fromEntries(Object.keys(WAYS).map((way) => [way, createGate()]));

let site: CodexSite;

beforeAll(async () => {
  const works = Object.entries(acknowledged).map(([way, { opened }]) => [
    `work <${way}>`,
    [{ patch: '*** Add File: notes.md\n+a note' }, { say: 'All of it is done.', after: opened }],
  ]);
  site = await openCodex({ ...PLANS, ...Object.fromEntries(works) });
});

afterAll(async () => {
  await rm(OUTSIDE, { force: true });
  await site.close();
});

it('[CREAL-01] a run executes a command and edits a file, and the host sees its events while it runs', async () => {
  const host = await site.host();
  const folder = await site.folder('work');
  await writeFile(join(folder, 'given.txt'), 'before\n');
  const call = await host.call('codex', RUN, { prompt: 'show the work' }, { meta: { workdir: folder, stream: true } });
  const { texts, ended } = follow(call);
  // The model has not been answered yet, so the run is under way.
  await until(() => texts.some((text) => text.includes('I look around first.')), WAIT);
  await until(() => texts.some((text) => /item\.completed command .*found\.txt/.test(text)), WAIT);
  expect((await host.calls()).map(({ handle }) => handle?.dialect)).toEqual(['stream']);
  looked.open();
  expect(textOf(await call.outcome())).toBe('The work is done.');
  await ended;
  expect(await readFile(join(folder, 'found.txt'), 'utf8')).toBe('found\n');
  expect(await readFile(join(folder, 'given.txt'), 'utf8')).toBe('after\n');
  expect(texts).not.toContain('a gap');
  expect(texts.join('\n')).toMatch(/patch status=completed changes=\[update:.*given\.txt\]/);
});

it('[CREAL-02] Codex is told to stay in its workspace, and does', async () => {
  const host = await site.host();
  const folder = await site.folder('inside');
  const options = { meta: { workdir: folder, stream: true } };
  const call = await host.call('codex', RUN, { prompt: 'leave the workspace' }, options);
  const { texts, ended } = follow(call);
  expect(textOf(await call.outcome())).toBe('I tried.');
  await ended;
  expect(texts.join('\n')).toMatch(/spawn .*codex exec --json --sandbox workspace-write --cd /);
  expect(existsSync(join(folder, 'inside.txt'))).toBe(true);
  expect(existsSync(OUTSIDE)).toBe(false);
});

it('[SEC-156] Codex cannot write the state of the app, though it lies among temporary files', async () => {
  const host = await site.host();
  const folder = await site.folder('state');
  const options = { meta: { workdir: folder, stream: true } };
  const call = await host.call('codex', RUN, { prompt: 'change the state' }, options);
  expect(textOf(await call.outcome())).toBe('I tried.');
  expect(existsSync(join(folder, 'inside.txt'))).toBe(true);
  for (const place of ['data', 'codex']) expect(existsSync(join(folder, '..', '..', place)), place).toBe(true);
  for (const place of ['data', 'codex'])
    expect(existsSync(join(folder, '..', '..', place, 'planted')), place).toBe(false);
});

it.each(Object.entries(WAYS))('[CREAL-03] the result comes by %s', async (way, { dialect, how, meta }) => {
  const host = await site.host(how);
  const folder = await site.folder(way);
  const call = await host.call('codex', RUN, { prompt: `work <${way}>` }, { meta: { workdir: folder, ...meta } });
  await call.sent();
  acknowledged[way]?.open();
  expect(textOf(await call.outcome())).toBe('All of it is done.');
  expect((await host.calls()).map(({ handle }) => handle?.dialect)).toEqual([dialect]);
  expect(await readFile(join(folder, 'notes.md'), 'utf8')).toBe('a note\n');
});

it('[CREAL-03] the result comes on the line of a plain client that asks for nothing', async () => {
  const { command, args, env, cwd } = site.command();
  const client = new Client({ name: 'plain', version: '1' });
  await client.connect(new StdioClientTransport({ command, args, env, cwd }));
  const folder = await site.folder('held');
  const params = { name: RUN, arguments: { prompt: 'quick work' }, _meta: { workdir: folder, stream: false } };
  const { content } = await client.callTool(params, undefined, { timeout: WAIT.timeoutMs });
  expect(content).toEqual([{ type: 'text', text: 'All of it is done.' }]);
  await client.close();
});

it('[CREAL-04] nobody but the model on loopback is asked for anything', () => {
  expect(site.api.asked.length).toBeGreaterThan(0);
  expect(site.api.strangers).toEqual([]);
});

/** What is said while the call is under way, and what of it is lost. */
function follow(call: Call): { readonly texts: string[]; readonly ended: Promise<void> } {
  const texts: string[] = [];
  const read = async () => {
    for await (const update of call.updates()) {
      if (update.type === 'text') texts.push(update.text);
      if (update.type === 'gap') texts.push('a gap');
    }
  };
  return { texts, ended: read() };
}
