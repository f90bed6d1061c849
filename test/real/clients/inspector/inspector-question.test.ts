import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { fetchInspector } from '../../../../scripts/inspector.mjs';
import { openSite } from '../../../e2e/site.ts';
import { programPath } from '../../../programs/program-path.js';

const RECORD_PIPE = programPath('record-pipe.js');

/** Timers of Node may be early by a little. */
const EARLY_MS = 20;

interface Recorded {
  readonly at: number;
  readonly isClient: boolean;
  readonly message: {
    readonly id?: number;
    readonly method?: string;
    readonly result?: { readonly status?: string; readonly pollIntervalMs?: number };
  };
}

/** What Inspector was told about the task, and when it asked again. */
interface Poll {
  readonly status: string | undefined;
  readonly intervalMs: number;
  readonly waitedMs: number;
}

async function open() {
  const site = await openSite('hosted-server');
  const record = join(site.dir, 'record.jsonl');
  const config = join(site.dir, 'servers.json');
  const { command, args } = site.command;
  const entry = { command, args: [RECORD_PIPE, record, ...args] };
  await writeFile(config, JSON.stringify({ mcpServers: { ci: entry } }));
  await writeFile(record, '');
  const readPolls = () => toPolls(readFileSync(record, 'utf8').split('\n').filter(Boolean).map(parse));
  return { site, config, readPolls };
}

const parse = (line: string) => JSON.parse(line) as Recorded;

function toPolls(recorded: readonly Recorded[]): Poll[] {
  const asked = recorded.filter(({ message }) => message.method === 'tasks/get');
  const answered = asked.flatMap(({ message: { id } }) =>
    recorded.filter(({ isClient, message }) => !isClient && message.id === id && message.result),
  );
  return answered.flatMap(({ at, message: { result } }, index) => {
    const next = asked[index + 1];
    const { status, pollIntervalMs: intervalMs = 0 } = result ?? {};
    return next ? [{ status, intervalMs, waitedMs: next.at - at }] : [];
  });
}

async function callDeploy(config: string, home: string): Promise<unknown> {
  const { node, inspector } = await fetchInspector();
  const how = ['--cli', '--config', config, '--server', 'ci', '--protocol-era', 'modern'];
  const env = { ...process.env, HOME: home, MCP_INSPECTOR_SECRET_STORE: 'memory' };
  const call = [inspector, ...how, '--method', 'tools/call', '--tool-name', 'deploy'];
  const child = spawn(node, call, { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 110_000, killSignal: 'SIGKILL' });
  const closed = once(child, 'close');
  const [out, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await closed) as [number | null];
  expect(code, complaints).toBe(0);
  return JSON.parse(out);
}

describe('MCP Inspector --cli, modern era, which cannot show a question', () => {
  it('[HOSTS-375] [HOSTS-376] waits as long as it is told between polls, and gets the result of what somebody else answered', async () => {
    const { site, config, readPolls } = await open();
    const calling = callDeploy(config, site.dir);
    const waiting = () => readPolls().filter(({ status }) => status === 'input_required');
    await Promise.race([calling, until(() => waiting().length >= 2, { what: 'two polls', timeoutMs: 90_000 })]);
    const { tasks } = await site.tasks.list({ status: 'input_required' });
    const answers = { q1: { action: 'accept', content: { sure: true } } } as const;
    for (const { taskId } of tasks) await site.tasks.answer(taskId, answers);
    expect(await calling).toMatchObject({ content: [{ type: 'text', text: 'deployed' }] });
    for (const { intervalMs, waitedMs } of readPolls()) expect(waitedMs).toBeGreaterThan(intervalMs - EARLY_MS);
    for (const { intervalMs } of waiting()) expect(intervalMs).toBeGreaterThan(1000);
    expect(site.runs()).toEqual(['deploy']);
  });
});
