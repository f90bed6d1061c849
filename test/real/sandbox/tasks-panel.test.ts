/** The panel of tasks in a real browser, on a dashboard below a path. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TaskContext } from 'holdfast';
import { until } from 'holdfast/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { shippedProgramPath } from '../../programs/program-path.js';
import { type OpenDashboard, openDashboard } from '../../sandbox/open-dashboard.ts';
import { browserPath, chooseTool, findFaults, goTo, type OpenBrowser, startBrowser } from '../../sandbox/open-page.ts';
import { clearSandbox, startSandbox } from '../../sandbox/open-sandbox.ts';

const taken: string[] = [];

const tools = {
  report: {
    input: z.object({ topic: z.string(), isBroken: z.boolean().optional() }),
    ttlMs: 3_600_000,
    async run({ topic, isBroken }: { topic: string; isBroken?: boolean }, task: TaskContext) {
      for (const name of ['read', 'sort', 'print']) await task.step(name, () => taken.push(`${topic} ${name}`));
      const child = await task.spawn(process.execPath, ['-e', 'process.exit(0)']);
      await child.exit;
      const link = { type: 'resource_link', ...(await task.artifact('report', `about ${topic}`, {})) };
      if (isBroken) throw new Error('no paper');
      return { content: [{ type: 'text', text: `report about ${topic}` }, link] };
    },
  },
};

describe.skipIf(browserPath === undefined)('the panel of tasks', { timeout: 300_000 }, () => {
  let dashboard: OpenDashboard;
  let browser: OpenBrowser;

  beforeAll(async () => {
    dashboard = await openDashboard(tools, { base: '/holdfast', outbox: { mail: () => Promise.resolve() } });
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await dashboard?.close();
  });

  const run = async (args: object) => {
    const { taskId } = (await dashboard.engine.submit('report', args, { deliver: [{ topic: 'mail' }] })).task;
    await dashboard.engine.outcome(taskId);
    return taskId;
  };

  const openTask = async (page: Page, topic: string) => {
    await page.locator('.virtual-row').filter({ hasText: topic }).first().click();
    await page.locator('.detail').getByText(topic).first().waitFor();
  };

  it('[SAND-290] [SAND-310] a task is run again with other arguments, and from a step', async () => {
    await run({ topic: 'tea' });
    const page = await browser.open(dashboard.url);
    expect(new URL(page.url()).pathname).toBe('/holdfast/');
    await openTask(page, 'tea');
    const spans = page.locator('.span-name');
    await until(async () => (await spans.allTextContents()).includes('Delivery mail'), { what: 'the timeline' });
    expect(await spans.allTextContents()).toEqual([
      ...['Queue', 'Attempt 1', 'Step read', 'Step sort', 'Step print'],
      expect.stringMatching(/^Process node \d+$/),
      'Delivery mail',
    ]);
    await page.getByRole('button', { name: 'Run again…' }).click();
    await page.getByLabel('JSON').fill('{"topic": 7}');
    await page.getByRole('button', { name: 'Run it now' }).click();
    await page.getByRole('alert').getByText('topic').waitFor();
    await page.getByLabel('JSON').fill('{"topic": "coffee"}');
    await page.getByRole('button', { name: 'Run it now' }).click();
    await page.locator('.detail').getByText('report about coffee').waitFor();
    expect(taken.filter((one) => one.startsWith('coffee'))).toHaveLength(3);
    await page.getByRole('button', { name: 'Run again…' }).click();
    await page.getByLabel('From').selectOption('print');
    await page.getByText('2 finished steps before it are kept').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Run it now' }).click();
    await page.locator('.span-note').getByText('kept').first().waitFor();
    await page.locator('[data-kind=attempt][data-end=good]').waitFor();
    expect(taken.filter((one) => one.startsWith('coffee'))).toEqual([
      ...['coffee read', 'coffee sort', 'coffee print', 'coffee print'],
    ]);
    await page
      .locator('.event-submitted')
      .getByText(/^runs .* again · by operator .* \(dashboard\)$/)
      .waitFor();
    await page.close();
  });

  it('[SAND-290] all that a filter finds are run again, after a second click', async () => {
    for (const topic of ['milk', 'water']) await run({ topic, isBroken: true });
    const page = await browser.open(dashboard.url);
    await page.getByLabel('Status').selectOption('failed');
    await page.getByRole('button', { name: 'Run all that match again' }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Really run them all again?' }).click();
    await page.getByText('2 run again').waitFor();
    const failed = async () => (await dashboard.engine.list({ status: 'failed' })).tasks.length;
    await until(async () => (await failed()) === 4, { what: 'the four failures', timeoutMs: 60_000 });
    await until(async () => (await page.locator('.virtual-row').count()) === 4, {
      what: 'their rows',
      timeoutMs: 60_000,
    });
    await page.close();
  });

  it('[SAND-291] [SAND-292] [SAND-293] details are made wider, count down, and give what was kept', async () => {
    await run({ topic: 'honey' });
    const page = await browser.open(dashboard.url);
    await openTask(page, 'honey');
    const width = async () => (await page.locator('.tasks-detail').boundingBox())?.width ?? 0;
    const before = await width();
    const divider = page.getByRole('separator', { name: 'Width of the details' });
    await divider.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await until(async () => (await width()) <= before - 70, { what: 'narrower details' });
    const box = await divider.boundingBox();
    await page.mouse.move((box?.x ?? 0) + 2, 300);
    await page.mouse.down();
    await page.mouse.move((box?.x ?? 0) + 62, 300, { steps: 3 });
    await page.mouse.up();
    await until(async () => (await width()) <= before - 130, { what: 'still narrower details' });
    const kept = await width();
    await page.reload();
    await page.locator('.detail').waitFor();
    expect(Math.abs((await width()) - kept)).toBeLessThan(2);
    const countdown = page.locator('.countdown');
    const first = await countdown.textContent();
    expect(first).toMatch(/^59 min \d+ s$/);
    await until(async () => (await countdown.textContent()) !== first, { what: 'a second', timeoutMs: 60_000 });
    const saving = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('report.txt');
    expect(await readFile(await saved.path(), 'utf8')).toBe('about honey');
    await page.close();
  });

  it('[SAND-310] below its path it has its own cookie, files and stream, and leaves the rest of the site alone', async () => {
    const { origin, search } = new URL(dashboard.url);
    const asked: string[] = [];
    const page = await browser.open(`${origin}/holdfast${search}`);
    expect(page.url()).toBe(`${origin}/holdfast/`);
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
    await page.reload();
    await page.locator('.link-open').waitFor();
    await page.locator('.virtual-row').first().waitFor();
    const taskId = await run({ topic: 'heard live' });
    await page.locator('.virtual-row').getByText('heard live').waitFor();
    expect(asked.every((path) => path.startsWith('/holdfast/'))).toBe(true);
    const [cookie] = await browser.context.cookies(`${origin}/holdfast/`);
    expect(cookie).toMatchObject({ path: '/holdfast/', httpOnly: true, sameSite: 'Strict' });
    expect(await browser.context.cookies(`${origin}/elsewhere`)).toEqual([]);
    await page.goto(`${origin}/holdfast/#/tasks/${taskId}`);
    await page.locator('.detail').getByText('report about heard live').waitFor();
    expect(await (await fetch(`${origin}/elsewhere`)).text()).toBe('another page');
    expect((await fetch(`${origin}/api/tasks`)).status).toBe(404);
    expect((await fetch(`${origin}/holdfast/api/tasks`)).status).toBe(401);
    await page.close();
  });

  it('[SAND-310] nothing of all this was against the policy of the page, or failed in it', () => {
    expect(browser.complaints).toEqual([]);
  });

  it('[SAND-293] [SAND-294] several upstreams are shown apart, and a card gives what its task kept', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-several-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const main = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
    const command = process.execPath;
    const mcpServers = {
      large: { command, args: [shippedProgramPath('hostile-page-server.js')] },
      demo: { command, args: [main, 'demo'], env: { HOLDFAST_DIR: join(folder, 'demo') } },
      absent: { command: join(folder, 'no-such-program') },
    };
    await writeFile(join(folder, 'holdfast.json'), JSON.stringify({ mcpServers }));
    const sandbox = await startSandbox(['--config', join(folder, 'holdfast.json')]);
    onTestFinished(() => clearSandbox(sandbox));
    const page = await browser.open(sandbox.url);
    const upstream = (name: string) => page.locator(`[data-upstream=${name}]`);
    await upstream('large').locator('label.tool').first().waitFor();
    await upstream('demo').locator('label.tool').first().waitFor();
    await upstream('absent').getByText('away').waitFor();
    await expectAccessible(page);
    await chooseTool(page, 'large');
    await page.getByRole('button', { name: 'Call large' }).click();
    const card = page.locator('article.call').first();
    await card.and(page.locator('[data-state=done]')).waitFor();
    await card.getByRole('button', { name: 'Load the result' }).click();
    const download = card.getByRole('link', { name: 'Download' });
    await download.waitFor();
    const saving = page.waitForEvent('download');
    await download.click();
    expect((await readFile(await (await saving).path(), 'utf8')).length).toBe(5_000_000);
    await goTo(page, 'Workers');
    await upstream('absent').getByText('away').waitFor();
    await upstream('large').getByText('ready').waitFor();
    await expectAccessible(page);
    await page.close();
  });
});

async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await findFaults(page)).toEqual([]);
  }
}
