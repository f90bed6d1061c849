/** Everything that a server says is shown as text: nothing of it runs. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programPath } from '../programs/program-path.js';
import { browserPath, goTo, type OpenBrowser, startBrowser } from './open-page.ts';
import { clearSandbox, type RunningSandbox, startSandbox } from './open-sandbox.ts';

describe.skipIf(browserPath === undefined)('a hostile server on the page', () => {
  let sandbox: RunningSandbox;
  let browser: OpenBrowser;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-hostile-'));
    const config = join(folder, 'holdfast.json');
    const server = { command: process.execPath, args: [programPath('hostile-page-server.js')] };
    await writeFile(config, JSON.stringify({ mcpServers: { hostile: server } }));
    sandbox = await startSandbox(['--config', config]);
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    if (sandbox) await clearSandbox(sandbox);
    await rm(folder, { recursive: true, force: true });
  });

  it('[SAND-110] scripts in markdown, names, links, files and pictures of a server do not run', async () => {
    const page = await browser.open(sandbox.url);
    await page.locator('label.tool').first().waitFor();
    await page.getByRole('button', { name: /Call/ }).click();
    const card = page.locator('article.call').first();
    await card.and(page.locator('[data-state=done]')).waitFor();
    await card.getByText('Structured content').waitFor();
    expect(await card.locator('script, iframe, a[href^="javascript"], a[href^="data"], img:not(.media)').count()).toBe(
      0,
    );
    expect(await card.textContent()).toContain('<script>window.ran=1</script>');
    await goTo(page, 'Tasks');
    await page.locator('.virtual-row').first().click();
    await page.locator('.span-row').first().waitFor();
    await goTo(page, 'Workers');
    await page.getByRole('heading', { name: 'Queues' }).waitFor();
    expect(await page.evaluate('window.ran')).toBeUndefined();
    expect(browser.complaints).toEqual([]);
    await page.close();
  });
});
