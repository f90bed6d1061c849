/** The view of a call, in a host of MCP Apps that knows no tasks. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSite } from '../../e2e/site.ts';
import { shippedProgramPath } from '../../programs/program-path.js';
import { browserPath, type OpenBrowser, startBrowser } from '../../sandbox/open-page.ts';
import { type AppHost, connectViews, openAppHost } from './app-host.ts';

const WAYS = [
  ['stdio', 'legacy'],
  ['http', 'auto'],
] as const;

describe.skipIf(browserPath === undefined)('the view of a call', { timeout: 300_000 }, () => {
  let browser: OpenBrowser;

  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());

  async function open(medium: 'stdio' | 'http' = 'stdio', mode: 'legacy' | 'auto' = 'legacy') {
    const site = await openSite('view-server', shippedProgramPath);
    const host = await openAppHost(browser, await connectViews(site, medium, mode));
    return { site, host, letGo: () => writeFile(join(site.dir, 'open'), '') };
  }

  /** Calls a tool as the model does, beside its view. */
  async function call(host: AppHost, args: Record<string, unknown>) {
    const answer = host.client.callTool({ name: 'publish', arguments: args });
    await host.show('publish');
    await host.tell('sendToolInput', { arguments: args });
    return answer;
  }

  it.each(WAYS)(
    '[SAND-260] shows progress while the call is held and after it was handed over, its question and its result (%s, %s)',
    async (medium, mode) => {
      const { host, letGo } = await open(medium, mode);
      const { view } = host;
      const answering = call(host, { year: 2026 });
      await view.getByText('Page 4 of 10').waitFor();
      expect(await view.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('40');
      const answer = await answering;
      expect(JSON.stringify(answer)).toContain('This is not the result and nothing went wrong');
      await host.tell('sendToolResult', answer);
      await view.locator('[data-phase=following]').waitFor();
      await letGo();
      await view.getByText('Publish 2026?').waitFor();
      await view.getByLabel('title').fill('A good year');
      await view.getByLabel('isPublic').check();
      await view.getByRole('button', { name: 'Answer' }).click();
      await view.getByRole('heading', { name: 'Published' }).waitFor();
      expect(await view.locator('article.call').getAttribute('data-state')).toBe('done');
      expect(await view.locator('.ended').textContent()).toContain('A good year, public: true');
      await view.getByRole('button', { name: 'Go on in the chat' }).click();
      const said = await until(
        async () => {
          const all = await host.said();
          return all.some(([what]) => what === 'message') && all;
        },
        { what: 'a message to the model' },
      );
      expect(JSON.stringify(said)).toContain('publish has ended');
      expect(said.map(([what]) => what)).toContain('context');
      expect(new Set(host.asked)).toEqual(new Set(['holdfast_task_view', 'holdfast_task_act']));
      // What the result says is text, and the policy of host and view has nothing to report.
      expect(await runsOf(host.page)).toEqual([undefined, undefined]);
      expect(browser.complaints).toEqual([]);
    },
  );

  it('[SAND-249] is there on stdio in both eras', async () => {
    for (const mode of ['legacy', 'auto'] as const) {
      const client = await connectViews(await openSite('view-server', shippedProgramPath), 'stdio', mode);
      expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25');
      const { tools } = await client.listTools();
      expect(tools.find(({ name }) => name === 'publish')?._meta?.ui).toEqual({ resourceUri: 'ui://holdfast/task' });
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toEqual(['ui://holdfast/task']);
      const { contents } = await client.readResource({ uri: 'ui://holdfast/task' });
      expect(contents[0]).toMatchObject({ mimeType: 'text/html;profile=mcp-app' });
    }
  });

  it('[SAND-261] stops a call, and asks no more when the host takes it away', async () => {
    const { host, site } = await open();
    const answer = await call(host, { year: 1 });
    await host.tell('sendToolResult', answer);
    await host.view.getByRole('button', { name: 'Cancel' }).click();
    await host.view.locator('article[data-state=cancelled]').waitFor();
    const [task] = (await site.tasks.list()).tasks;
    expect(task?.status).toBe('cancelled');
    const second = await openAppHost(browser, host.client);
    const pending = host.client.callTool({ name: 'publish', arguments: { year: 2 } });
    await second.show('publish');
    await second.tell('sendToolInput', { arguments: { year: 2 } });
    await second.view.getByText('Page 4 of 10').waitFor();
    await second.tell('teardownResource', {});
    const { length } = second.asked;
    // Two more looks would have come by then.
    await pending;
    expect(second.asked).toHaveLength(length);
    const open2 = (await site.tasks.list({ status: 'working' })).tasks;
    for (const { taskId } of open2) await site.tasks.cancel(taskId);
  });

  it('[SAND-262] shows a result that came at once, in the language and colours of the host', async () => {
    const { host } = await open();
    const answer = await host.client.callTool({ name: 'at_once', arguments: {} });
    await host.show('at_once', { context: { theme: 'dark', locale: 'zh-CN' } });
    await host.tell('sendToolInput', { arguments: {} });
    await host.tell('sendToolResult', answer);
    const card = host.view.locator('article[data-state=done]');
    await card.getByText('完成').first().waitFor();
    expect(await card.textContent()).toContain('at once <img src=x');
    expect(await host.view.locator('html').getAttribute('data-theme')).toBe('dark');
    expect(await runsOf(host.page)).toEqual([undefined, undefined]);
    expect(browser.complaints).toEqual([]);
  });

  it('[SAND-263] shows the words of the hand-over where the host lets views ask nothing', async () => {
    const { host, site } = await open();
    const answer = await host.client.callTool({ name: 'publish', arguments: { year: 3 } });
    await host.show('publish', { capabilities: {} });
    await host.tell('sendToolInput', { arguments: { year: 3 } });
    await host.tell('sendToolResult', answer);
    await host.view.getByText('This app does not let views ask the server').waitFor();
    expect(await host.view.locator('main').textContent()).toContain('publish is still running');
    expect(host.asked).toEqual([]);
    for (const { taskId } of (await site.tasks.list()).tasks) await site.tasks.cancel(taskId);
  });

  it('[SAND-264] axe-core finds no serious fault in it', async () => {
    const { host, letGo } = await open();
    await letGo();
    const answer = await call(host, { year: 4 });
    await host.tell('sendToolResult', answer);
    await host.view.getByLabel('title').waitFor();
    const frame = host.page.frames().find((one) => one.url().endsWith('/view'));
    await frame?.evaluate(
      await readFile(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8'),
    );
    const found = (await frame?.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as {
      violations: { id: string; impact: string }[];
    };
    const serious = found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(serious.map(({ id }) => id)).toEqual([]);
    await host.view.getByRole('button', { name: 'Decline' }).click();
    await host.view.locator('article[data-state=failed]').waitFor();
  });
});

/** What a hostile text would have set, in each frame. */
function runsOf(page: Page): Promise<unknown[]> {
  return Promise.all(page.frames().map((frame) => frame.evaluate('window.ran')));
}
