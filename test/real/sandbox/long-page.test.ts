/** The page on heavy days: restarts, many calls, large results, a store with many tasks. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { shippedProgramPath } from '../../programs/program-path.js';
import { browserPath, chooseTool, goTo, startBrowser } from '../../sandbox/open-page.ts';
import { clearSandbox, startSandbox } from '../../sandbox/open-sandbox.ts';

async function openBrowser() {
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  return browser;
}

describe.skipIf(browserPath === undefined)('the page on heavy days', { timeout: 600_000 }, () => {
  it('[SAND-150] an open page goes on by itself when the sandbox is restarted in the middle of a call', async () => {
    const first = await startSandbox();
    const browser = await openBrowser();
    const page = await browser.open(first.url);
    await chooseTool(page, 'sleep');
    await page.getByLabel('ms').fill('20000');
    await page.getByRole('button', { name: 'Call sleep' }).click();
    const card = page.locator('article.call').first();
    await card.getByText(' %').first().waitFor();
    await first.stop();
    await page.getByText('Connection lost').first().waitFor();
    const second = await startSandbox([], { directory: first.directory, port: first.port });
    onTestFinished(() => clearSandbox(second));
    await page.locator('.link-open').waitFor();
    await card.and(page.locator('[data-state=done]')).waitFor({ timeout: 120_000 });
    expect(await card.textContent()).toContain('slept 20000 ms');
    expect(browser.complaints).toEqual([]);
  });

  it('[SAND-151] the story is played to its end by one button, also over a reload', async () => {
    const sandbox = await startSandbox();
    onTestFinished(() => clearSandbox(sandbox));
    const browser = await openBrowser();
    const page = await browser.open(sandbox.url);
    await goTo(page, 'Break it');
    await page.getByRole('button', { name: 'Play the story' }).click();
    await page.locator('[data-step=killed]').or(page.locator('[data-step=taken-up]')).waitFor({ timeout: 120_000 });
    await page.reload();
    await page.locator('[data-step=done]').waitFor({ timeout: 120_000 });
    expect(await page.locator('.story').textContent()).toContain('outlived its worker');
    await page.locator('[data-kind=attempt][data-end=lost]').waitFor();
  });

  it('[SAND-152] a worker that is paused beyond its lease, and a connection that is cut, are got over', async () => {
    const sandbox = await startSandbox();
    onTestFinished(() => clearSandbox(sandbox));
    const { call } = await sandbox.post<{ call: { callId: string } }>('calls', {
      ...{ server: 'demo', tool: 'sleep', args: { ms: 25_000 } },
    });
    const read = async () =>
      (await sandbox.get<{ call: { state: string; taskId?: string; progress?: object } }>(`calls/${call.callId}`)).call;
    await until(async () => (await read()).progress, { what: 'progress', timeoutMs: 60_000 });
    expect(await sandbox.post('faults', { kind: 'pause-worker' })).toMatchObject({ pid: expect.any(Number) });
    const { taskId } = await read();
    const attempt = async () => (await sandbox.get<{ task: { attempt: number } }>(`tasks/${taskId}`)).task.attempt;
    await until(async () => (await attempt()) > 1, { what: 'another attempt', timeoutMs: 120_000 });
    expect(await sandbox.post('faults', { kind: 'drop-connection' })).toMatchObject({ count: expect.any(Number) });
    await until(async () => (await read()).state === 'ended', { what: 'the outcome', timeoutMs: 120_000 });
    expect(await sandbox.get(`calls/${call.callId}`)).toMatchObject({
      call: { outcome: { kind: 'result', isError: false } },
    });
  });

  it('[SAND-153] 200 calls at once are all there, and all come back', async () => {
    const sandbox = await startSandbox();
    onTestFinished(() => clearSandbox(sandbox));
    const browser = await openBrowser();
    const page = await browser.open(sandbox.url);
    await Promise.all(
      Array.from({ length: 200 }, (_, at) =>
        sandbox.post('calls', { server: 'demo', tool: 'sleep', args: { ms: 3000, note: `call ${at}` } }),
      ),
    );
    await page.locator('article.call').nth(40).waitFor();
    const states = async () => {
      const { calls } = await sandbox.get<{ calls: { state: string; outcome?: { isError: boolean } }[] }>('calls');
      return calls.filter(({ state, outcome }) => state === 'ended' && outcome?.isError === false).length;
    };
    await until(async () => (await states()) === 200, { what: '200 results', timeoutMs: 300_000 });
    await page.locator('.chip-count').waitFor({ state: 'detached' });
    await goTo(page, 'Tasks');
    // Of many rows only those in sight are drawn.
    await page.locator('.virtual-row').first().waitFor();
    expect(await page.locator('.virtual-row').count()).toBeLessThan(60);
    expect(browser.complaints).toEqual([]);
  });

  it('[SAND-154] a result of 5 MB is shown by its beginning, and whole on demand', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-large-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const config = join(folder, 'holdfast.json');
    const hostile = { command: process.execPath, args: [shippedProgramPath('hostile-page-server.js')] };
    await writeFile(config, JSON.stringify({ mcpServers: { hostile } }));
    const sandbox = await startSandbox(['--config', config]);
    onTestFinished(() => clearSandbox(sandbox));
    const browser = await openBrowser();
    const page = await browser.open(sandbox.url);
    await chooseTool(page, 'large');
    await page.getByRole('button', { name: 'Call large' }).click();
    const card = page.locator('article.call').first();
    await card.and(page.locator('[data-state=done]')).waitFor();
    const load = card.getByRole('button', { name: 'Load the result' });
    if (await load.isVisible()) await load.click();
    await card.locator('.code-block, .resource, .markdown').first().waitFor();
    expect(browser.complaints).toEqual([]);
  });

  it('[SAND-155] a store with 100,000 tasks is shown at once, and its list goes to the end', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-many-'));
    const store = await openSqliteStore({ path: join(folder, 'tasks.db') });
    const base = { tool: 'old', principal: 'local', identity: 'other', ttlMs: null, idempotent: true, maxAttempts: 1 };
    for (let from = 0; from < 100_000; from += 2000) {
      const ids = Array.from({ length: 2000 }, (_, at) => `task-${String(from + at).padStart(8, '0')}`);
      const create = (taskId: string) =>
        store.tasks.create({ ...base, taskId, args: { taskId }, deliver: [] }, { queueLimit: 1_000_000 });
      await Promise.all(ids.map(create));
    }
    await store.close();
    const sandbox = await startSandbox([], { directory: folder });
    onTestFinished(() => clearSandbox(sandbox));
    const browser = await openBrowser();
    const page = await browser.open(sandbox.url);
    await goTo(page, 'Tasks');
    await page.locator('.virtual-row').first().waitFor();
    await page.reload();
    const before = performance.now();
    await page.locator('.virtual-row').first().waitFor();
    console.log(`100,000 tasks: rows after ${Math.round(performance.now() - before)} ms`);
    expect(await page.locator('.virtual-row').count()).toBeLessThan(60);
    const list = page.getByRole('listbox');
    await list.evaluate((frame) => frame.scrollTo({ top: 1e9 }));
    await until(async () => Number(await list.evaluate((frame) => frame.scrollHeight)) > 100 * 52, {
      what: 'more rows',
    });
  });
});
