/** What the two plans that this app comes from ask for, step by step: streaming, and results through the log of prompts. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHost } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type CodexSite, openCodexSite } from '../../apps/codex/codex-site.ts';
import { builtPath } from '../../programs/program-path.js';

const main = builtPath('cli/main.js');
const STREAM = 'codex_app.window_run.stream';
const COMPLETED = 'codex_app.window_run.completed';

async function openHost(site: CodexSite, callMeta: object) {
  const errors: unknown[] = [];
  const host = await createHost({
    ledger: join(site.dir, 'host.db'),
    stateDir: join(site.dir, 'state'),
    onError: (error) => void errors.push(error),
  });
  onTestFinished(() => host.close());
  const env = { ...site.env };
  await host.connect('codex', {
    command: process.execPath,
    args: [main, 'codex'],
    env,
    passEnv: ['HOLDFAST_TEST_FILE'],
    cwd: site.project,
    stderr: 'ignore',
    callMeta: callMeta as never,
  });
  return host;
}

describe('streaming, on stdio', () => {
  it('[CODEX-60] a call is acknowledged, then its events come as they happen, then the end, and nothing after it', async () => {
    const site = await openCodexSite();
    const server = await site.start();
    const ack = await server.run('hangs! now', { stream: true }, 'call-7');
    expect(ack.result).toMatchObject({ structuredContent: { status: 'accepted', stream: { method: STREAM } } });
    const isStarted = () => server.news.some(({ params }) => String(params?.text).includes('turn.started'));
    await until(isStarted, { what: 'events while it runs' });
    expect(server.news.some(({ params }) => params?.done === true)).toBe(false);
    await writeFile(join(site.project, 'go'), '');
    await until(() => server.news.some(({ method }) => method === COMPLETED), { what: 'the end' });

    const about = { rpcId: 'call-7', windowId: expect.stringMatching(/^win_/), runId: expect.any(String) };
    for (const { params } of server.news) expect(params).toMatchObject(about);
    const seqs = server.news.flatMap(({ params }) => (params?.event as { seq: number } | undefined)?.seq ?? []);
    expect(seqs).toEqual(seqs.map((_, at) => at + 1));
    const final = server.news.filter(({ params }) => params?.final === true);
    expect(final.map(({ params }) => params?.finalText)).toEqual(['did: hangs! now']);
    const done = server.news.filter(({ params }) => params?.done === true);
    expect(done.map(({ params }) => params?.status)).toEqual(['completed']);
    expect(server.news.filter(({ method }) => method === COMPLETED)).toHaveLength(1);
    expect(server.all.at(-1)?.method).toBe(COMPLETED);
    expect(server.all.findIndex(({ id }) => id === 'call-7')).toBeLessThan(
      server.all.findIndex(({ method }) => method === STREAM),
    );
  });

  it('[CODEX-61] a host shows what Codex says while it runs, and its result at the end', async () => {
    const site = await openCodexSite();
    const host = await openHost(site, { stream: true });
    const call = await host.call('codex', 'codex_app_window_run', { prompt: 'hangs! host' });
    for await (const update of call.updates()) {
      if (JSON.stringify(update).includes('turn.started')) break;
    }
    await writeFile(join(site.project, 'go'), '');
    const outcome = await call.outcome();
    expect(outcome).toMatchObject({ kind: 'result', result: { content: [{ text: 'did: hangs! host' }] } });
  });
});

describe('a call', () => {
  it('[SEC-185] [SEC-186] that asks for a stream is shown what Codex does, and nothing of how we keep count', async () => {
    const site = await openCodexSite();
    const server = await site.start();
    for (const meta of [{ stream: true }, { toolCallId: 'c', stream: true }]) {
      expect((await server.run('anything', meta)).result).toMatchObject({ structuredContent: { status: 'accepted' } });
    }
    const isOver = () => server.news.filter(({ method }) => method === COMPLETED).length === 2;
    await until(isOver, { what: 'both ends', timeoutMs: 60_000 });
    const events = server.news.flatMap(({ params }) => (params?.event ? [JSON.stringify(params.event)] : []));
    expect(events.some((event) => event.includes('turn.started'))).toBe(true);
    expect(events.filter((event) => /"level":"debug"|step|begun/.test(event))).toEqual([]);
    const state = await readFile(
      join(site.env.HOLDFAST_DIR ?? '', 'holdfast/codex_app/codex_app_state.v1.json'),
      'utf8',
    );
    expect(state).not.toContain('begun');
  });

  it('[SEC-185] [FIRST-321] that asks for nothing gets what Codex said at its end, and no notifications of a stream', async () => {
    const site = await openCodexSite();
    const server = await site.start();
    const { result } = await server.run('anything', {});
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'did: anything' }] });
    expect(server.all.filter(({ method }) => method === STREAM || method === COMPLETED)).toEqual([]);
  });
});

describe('results through the log of prompts', () => {
  it('[CODEX-62] [SEC-185] a call of such a host without an id is refused, and any call when the owner says so', async () => {
    const site = await openCodexSite();
    const server = await site.start();
    const refused = { code: -32602, message: 'taskId is required in _meta' };
    const asyncTask = { tools: ['codex_app_window_run'] };
    const called = { toolCallId: 'c', tool_call_id: 'c', workdir: site.project };
    const calls = [{ chatos: site.chatos }, { asyncTask }, { taskId: ' ' }, called, { ...called, stream: false }];
    for (const meta of calls) expect((await server.run('x', meta)).error, JSON.stringify(meta)).toMatchObject(refused);
    await server.kill();
    const strict = await site.start('--require-task-id');
    expect((await strict.run('x')).error).toMatchObject(refused);
    expect(site.executions()).toEqual([]);
  });

  it('[CODEX-63] [CODEX-64] stays pending until the prompt is there and then is its text, whichever session looks', async () => {
    const site = await openCodexSite();
    const asyncTask = {
      tools: ['codex_app_window_run'],
      taskIdKey: 'taskId',
      resultSource: 'ui_prompts',
      uiPromptFile: 'ui-prompts.jsonl',
      stateFileName: 'codex_app_state.v1.json',
    };
    const host = await openHost(site, { asyncTask, chatos: site.chatos });
    const prompt = 'hangs! async';
    const call = await host.call('codex', 'codex_app_window_run', { prompt }, { sessionId: 'one' });
    await call.sent();
    await until(() => site.executions().length === 1, { what: 'the run', timeoutMs: 60_000 });
    expect(await site.prompts()).toEqual([]);
    // Another session of the same host.
    const other = await host.call('codex', 'codex_app_window_run', { prompt: 'other' }, { sessionId: 'two' });
    await other.sent();
    await writeFile(join(site.project, 'go'), '');
    expect(await call.outcome()).toMatchObject({ kind: 'result', result: { content: [{ text: `did: ${prompt}` }] } });
    expect(await other.outcome()).toMatchObject({ kind: 'result', result: { content: [{ text: 'did: other' }] } });
    const prompts = await site.prompts();
    expect(prompts.map(({ text }) => text).toSorted()).toEqual([`did: ${prompt}`, 'did: other']);
    const { mcpTasks } = await until(
      async () => {
        const state = await site.state();
        return state.mcpTasks.every(({ status, promptSentAt }) => status === 'completed' && promptSentAt) && state;
      },
      { what: 'the task store' },
    );
    const told = new Map(prompts.map(({ requestId, text }) => [requestId, text]));
    expect(new Map(mcpTasks.map(({ id, resultText }) => [id, resultText]))).toEqual(told);
  });
});
