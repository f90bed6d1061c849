import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { type CodexSite, openCodexSite } from '../../apps/codex/codex-site.ts';
import { isRunning } from '../../engine/workers/start-program.ts';

const SLOW = { timeoutMs: 60_000 };

const untilPrompts = (site: CodexSite, count: number) =>
  until(async () => (await site.prompts()).length >= count && site.prompts(), { what: `${count} prompts`, ...SLOW });

const untilExecutions = (site: CodexSite, count: number) =>
  until(() => site.executions().length === count, { what: `${count} runs`, ...SLOW });

const untilState = (site: CodexSite, statuses: readonly string[]) =>
  until(
    async () => {
      const state = await site.state();
      return state.mcpTasks.map(({ status }) => status).join() === statuses.join() && state;
    },
    { what: `tasks to be ${statuses.join()}`, ...SLOW },
  );

describe('Codex after kill -9', () => {
  it('[CODEX-50] [CODEX-51] of the worker: what ran is interrupted and gone, and what only waited runs in its order', async () => {
    const site = await openCodexSite();
    const server = await site.start();
    const call = (prompt: string, taskId: string) => server.run(prompt, { taskId, chatos: site.chatos });
    await call('hangs! 1', 't1');
    await untilExecutions(site, 1);
    await call('2', 't2');
    await untilState(site, ['running', 'queued']);
    await call('3', 't3');
    await untilState(site, ['running', 'queued', 'queued']);

    process.kill(await site.workerPid(), 'SIGKILL');
    await writeFile(join(site.project, 'go'), '');
    const prompts = await untilPrompts(site, 3);

    expect(prompts.toSorted((a, b) => (a.requestId < b.requestId ? -1 : 1))).toEqual([
      { requestId: 't1', text: expect.stringMatching(/^Interrupted: the worker was lost/) },
      { requestId: 't2', text: 'did: 2' },
      { requestId: 't3', text: 'did: 3' },
    ]);
    expect(site.executions().map(({ prompt }) => prompt)).toEqual(['hangs! 1', '2', '3']);
    expect(await isRunning(site.executions()[0]?.pid ?? 0)).toBe(false);
    const { runs, windows } = await untilState(site, ['failed', 'completed', 'completed']);
    expect(runs.map(({ status }) => status)).toEqual(['failed', 'completed', 'completed']);
    expect(runs[0]?.error?.message).toMatch(/^interrupted/i);
    expect(windows).toMatchObject([{ status: 'idle', activeRunId: '' }]);
    const isTold = async () => (await site.state()).mcpTasks.every(({ promptSentAt }) => promptSentAt !== '');
    await until(isTold, { what: 'the prompts to be noted' });
    expect(await site.prompts()).toHaveLength(3);
  });

  it('[CODEX-52] [CODEX-53] of the server the run goes on; of all processes the next start tells the truth', async () => {
    const site = await openCodexSite();
    const first = await site.start();
    await first.run('hangs! on', { taskId: 'outlives', chatos: site.chatos });
    await untilExecutions(site, 1);
    await first.kill();
    await writeFile(join(site.project, 'go'), '');
    expect(await untilPrompts(site, 1)).toEqual([{ requestId: 'outlives', text: 'did: hangs! on' }]);

    const second = await site.start();
    const projectRoot = join(site.project, 'other');
    await mkdir(projectRoot);
    const elsewhere = { ...site.chatos, uiApp: { ...(site.chatos as { uiApp: object }).uiApp, projectRoot } };
    await second.run('hangs! lost', { taskId: 'lost', chatos: elsewhere });
    await untilExecutions(site, 2);
    await untilState(site, ['completed', 'running']);
    const worker = await site.workerPid();
    await second.kill();
    process.kill(worker, 'SIGKILL');
    await until(async () => !(await isRunning(worker)), { what: 'the worker to be gone' });
    expect(await isRunning(site.executions()[1]?.pid ?? 0)).toBe(true);

    await site.start();
    expect((await untilPrompts(site, 2))[1]).toEqual({
      requestId: 'lost',
      text: expect.stringMatching(/^Interrupted: the worker was lost/),
    });
    await untilState(site, ['completed', 'failed']);
    expect(await isRunning(site.executions()[1]?.pid ?? 0)).toBe(false);
    expect(site.executions()).toHaveLength(2);
  });
});
