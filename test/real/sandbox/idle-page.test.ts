/** A page on which nothing happens. */
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDashboard } from '../../sandbox/open-dashboard.ts';
import { browserPath, goTo, startBrowser } from '../../sandbox/open-page.ts';
import { clearSandbox, startSandbox } from '../../sandbox/open-sandbox.ts';

const MINUTES = 10 * 60_000;

describe.skipIf(browserPath === undefined)('an idle page', { timeout: 300_000 }, () => {
  it('[SAND-315] asks for nothing in ten minutes, on any screen but that of the workers', async () => {
    const sandbox = await startSandbox();
    onTestFinished(() => clearSandbox(sandbox));
    const browser = await startBrowser();
    onTestFinished(() => browser.close());
    const page = await browser.open(sandbox.url);
    await page.clock.install();
    await page.reload();
    await page.locator('.link-open').waitFor();
    for (const screen of ['Calls', 'Tasks', 'Break it', 'Prompts', 'MCP Test']) {
      await goTo(page, screen);
      await page.waitForLoadState();
      await page.clock.runFor(1000);
      const asked: string[] = [];
      const note = (request: { url(): string }) => void asked.push(`${screen} ${request.url()}`);
      page.on('request', note);
      await page.clock.runFor(MINUTES);
      page.off('request', note);
      expect(asked).toEqual([]);
    }
    // The clock did move: the one screen that looks by itself has looked.
    await goTo(page, 'Workers');
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    await page.clock.runFor(10_000);
    await until(() => asked.length > 2, { what: 'looks at workers', timeoutMs: 60_000 });
  });

  it('[SAND-315] nor does the task of a dashboard that has ended, whose time is counted down', async () => {
    const dashboard = await openDashboard({ greet: { run: () => 'hello' } });
    onTestFinished(() => dashboard.close());
    const { taskId } = (await dashboard.engine.submit('greet', {})).task;
    await dashboard.engine.outcome(taskId);
    const browser = await startBrowser();
    onTestFinished(() => browser.close());
    const page = await browser.open(dashboard.url);
    await page.clock.install();
    await page.reload();
    // It has learnt the time of its server by then.
    await page.locator('.link-open').waitFor();
    await page.evaluate(`location.hash = '/tasks/${taskId}'`);
    await page.locator('.countdown').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    await page.clock.runFor(MINUTES);
    expect(asked).toEqual([]);
    await until(async () => /^4\d min/.test(String(await page.locator('.countdown').textContent())), {
      what: 'ten minutes less',
      timeoutMs: 60_000,
    });
  });
});
