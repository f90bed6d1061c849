/** The sandbox in a real browser: what a newcomer does, and that what comes back is seen to come back. */
import { readFile } from 'node:fs/promises';
import { until } from 'holdfast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { share } from '../share.ts';
import { browserPath, chooseTool, findFaults, goTo, type OpenBrowser, startBrowser } from './open-page.ts';
import { clearSandbox, type RunningSandbox, startSandbox } from './open-sandbox.ts';

const SCREENS = ['Calls', 'Tasks', 'Workers', 'Break it', 'Prompts', 'MCP Test', 'Run as'];

describe.skipIf(browserPath === undefined)('the page of the sandbox', () => {
  let sandbox: RunningSandbox;
  let browser: OpenBrowser;

  beforeAll(async () => {
    sandbox = await startSandbox();
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    if (sandbox) await clearSandbox(sandbox);
  });

  it('[SAND-101] a newcomer opens the address, calls a tool from a form, and sees it yellow, then green', async () => {
    const page = await browser.open(sandbox.url);
    // The token is in no address bar and no history.
    expect(page.url()).toBe(`http://127.0.0.1:${sandbox.port}/`);
    await chooseTool(page, 'sleep');
    await page.getByLabel('ms').fill('4000');
    const shown = async () => JSON.parse(await page.getByLabel('JSON').inputValue());
    await until(async () => (await shown()).ms === 4000, { what: 'the JSON beside the form', timeoutMs: 60_000 });
    expect(await shown()).toEqual({ ms: 4000, note: '' });
    await page.getByRole('button', { name: 'Call sleep' }).click();
    const card = page.locator('article.call').first();
    await card.and(page.locator('[data-state=pending]')).waitFor();
    await page.getByRole('progressbar', { name: 'sleep' }).waitFor();
    await card.and(page.locator('[data-state=done]')).waitFor();
    expect(await card.textContent()).toContain('slept 4000 ms');
    await page.close();
  });

  it('[SAND-102] arguments that are no JSON, or of a wrong kind, are complained of beside their field', async () => {
    const page = await browser.open(sandbox.url);
    await chooseTool(page, 'sleep');
    await page.getByLabel('JSON').fill('{"ms": ');
    await page.getByText('Not JSON').waitFor();
    await page.getByLabel('JSON').fill('{"ms": "soon"}');
    await page.getByRole('button', { name: 'Call sleep' }).click();
    await page.getByText('Expected a number').waitFor();
    await page.close();
  });

  it('[SAND-103] a question is answered in place, and a reload in the middle loses nothing', async () => {
    const page = await browser.open(sandbox.url);
    await chooseTool(page, 'interview');
    await page.getByLabel('JSON').fill('{"questions": ["What is your name?"]}');
    await page.getByRole('button', { name: 'Call interview' }).click();
    await page.getByText('What is your name?').first().waitFor();
    await page.reload();
    const card = page.locator('article.call').first();
    await card.and(page.locator('[data-state=input_required]')).waitFor();
    await card.getByLabel('answer').fill('Ada');
    await card.getByRole('button', { name: 'Answer' }).click();
    await card.and(page.locator('[data-state=done]')).waitFor();
    expect(await card.textContent()).toContain('Ada');
    await page.close();
  });

  it('[SAND-104] a worker that is killed on the page is seen to be replaced, and the call comes back', async () => {
    const page = await browser.open(sandbox.url);
    await chooseTool(page, 'sleep');
    await page.getByLabel('ms').fill('8000');
    await page.getByRole('button', { name: 'Call sleep' }).click();
    const card = page.locator('article.call').first();
    await card.getByText(' %').first().waitFor();
    await goTo(page, 'Break it');
    await page.getByRole('button', { name: 'Kill the worker' }).click();
    await page.getByText(/Killed process \d+/).waitFor();
    await page.getByText('Another one took it up: attempt 2.').waitFor();
    await page.getByRole('link', { name: 'Open task' }).first().click();
    await page.locator('[data-kind=attempt][data-end=lost]').waitFor();
    await page.locator('[data-kind=attempt][data-end=good]').waitFor();
    expect(await page.locator('.span-name').allTextContents()).toEqual(['Queue', 'Attempt 1', 'Queue', 'Attempt 2']);
    await page.getByText('slept 8000 ms').waitFor();
    await page.close();
  });

  it('[SAND-105] the AsyncTask Test writes a real entry, finds it, and the prompts panel shows the same text', async () => {
    const page = await browser.open(sandbox.url);
    await goTo(page, 'MCP Test');
    await page.getByRole('button', { name: 'AsyncTask Test' }).click();
    const card = page.locator('article.call').first();
    await card.and(page.locator('[data-state=pending]')).waitFor();
    await card.and(page.locator('[data-state=done]')).waitFor();
    const result = String(await card.locator('.markdown').textContent()).trim();
    await page.getByText('asyncTask.result').waitFor();
    const labels = await page.locator('.test-label strong').allTextContents();
    expect(labels).toEqual(['asyncTask.request', 'asyncTask.ack', 'asyncTask.polled', 'asyncTask.result']);
    await goTo(page, 'Prompts');
    const prompt = page.locator('article.prompt').first();
    expect(String(await prompt.locator('.markdown').textContent()).trim()).toBe(result);
    await prompt.getByRole('button', { name: 'Got it' }).click();
    await page.getByText('Answered').waitFor();
    const log = await readFile(`${sandbox.directory}/state/ui-prompts.jsonl`, 'utf8');
    const entries = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(entries.map(({ action }) => action)).toEqual(['request', 'response']);
    expect(entries[1]).toMatchObject({
      type: 'ui_prompt',
      requestId: entries[0].requestId,
      response: { status: 'ok' },
    });
    await page.close();
  });

  it('[SAND-106] no screen has a serious fault of accessibility, light or dark', { timeout: 240_000 }, async () => {
    const page = await browser.open(sandbox.url);
    const faults: string[] = [];
    // An odd number of screens: every second of these is each screen once, and both schemes.
    const views = (['light', 'dark'] as const).flatMap((scheme) => SCREENS.map((screen) => ({ scheme, screen })));
    for (const { scheme, screen } of share(views, { every: 2 })) {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      await goTo(page, screen);
      await page.getByRole('main').getByRole('heading').or(page.locator('.virtual-row, label.tool')).first().waitFor();
      faults.push(...(await findFaults(page)).map((fault) => `${scheme} ${screen}: ${fault}`));
    }
    expect(faults).toEqual([]);
    await page.close();
  });

  it('[SAND-107] the page speaks Chinese too, and keeps the choice', async () => {
    const page = await browser.open(sandbox.url);
    await page.getByRole('button', { name: '中文' }).click();
    await page.getByRole('link', { name: '故障演练' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: '交互待办' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
    await page.getByRole('button', { name: 'English' }).click();
    await page.close();
  });

  it('[SAND-108] nothing of all this was against the policy of the page, or failed in it', () => {
    expect(browser.complaints).toEqual([]);
  });
});
