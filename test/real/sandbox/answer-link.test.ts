/** A link to one question, sent from the page of a task to somebody with another browser. */
import { readFile } from 'node:fs/promises';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { browserPath, goTo, startBrowser } from '../../sandbox/open-page.ts';
import { clearSandbox, startSandbox } from '../../sandbox/open-sandbox.ts';

describe.skipIf(browserPath === undefined)('a link to a question', { timeout: 300_000 }, () => {
  it('[SAND-277] is copied from the task, answered by somebody else, once, and says then that it was', async () => {
    const sandbox = await startSandbox();
    onTestFinished(() => clearSandbox(sandbox));
    const browser = await startBrowser();
    onTestFinished(() => browser.close());
    const colleague = await startBrowser({ locale: 'zh-CN' });
    onTestFinished(() => colleague.close());
    const { call } = await sandbox.post<{ call: { callId: string } }>('calls', {
      ...{ server: 'demo', tool: 'interview', args: { questions: ['What is your name?'] } },
    });
    const read = async () =>
      (await sandbox.get<{ call: { taskId?: string; state: string; questions: object[] } }>(`calls/${call.callId}`))
        .call;
    await until(async () => (await read()).questions.length > 0, { what: 'the question', timeoutMs: 60_000 });
    const page = await browser.open(sandbox.url);
    await goTo(page, 'Tasks');
    await page.locator('.virtual-row').first().click();
    await page.getByRole('button', { name: 'Copy a link to this question' }).click();
    const field = page.getByLabel('Whoever has this link');
    await field.waitFor();
    const link = await field.inputValue();
    expect(link).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${sandbox.port}/answer/#[\\w-]{43}$`));
    const { taskId = '' } = await read();

    const other = await colleague.context.newPage();
    other.on('pageerror', (error) => void colleague.complaints.push(`error ${error.message}`));
    const requests: string[] = [];
    other.on('request', (request) => void requests.push(new URL(request.url()).pathname));
    await other.goto(link);
    await other.locator('[data-state=open]').waitFor();
    const text = (await other.locator('body').textContent()) ?? '';
    expect(text).toContain('您只能回答一次');
    expect(text).toContain('What is your name?');
    for (const hidden of [taskId, 'interview']) expect(text).not.toContain(hidden);
    expect(requests.every((path) => path.startsWith('/answer/'))).toBe(true);
    await other.evaluate(await readFile(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8'));
    const found = (await other.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as {
      violations: { id: string; impact: string }[];
    };
    const serious = found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(serious.map(({ id }) => id)).toEqual([]);
    for (const box of await other.locator('.answer-page input[type=text]').all()) await box.fill('a colleague');
    await other.getByRole('button', { name: '回答' }).click();
    await other.getByText('谢谢，您的回答已收到。').waitFor();
    await until(async () => (await read()).state === 'ended', { what: 'the end of the call', timeoutMs: 60_000 });
    expect(JSON.stringify(await read())).toContain('a colleague');
    await other.reload();
    await other.getByText('此问题已有人回答。').waitFor();
    // The rest of the sandbox is closed to them.
    await other.goto(`http://127.0.0.1:${sandbox.port}/`);
    expect(await other.locator('body').textContent()).toContain('which has the token');
    expect(colleague.complaints).toEqual([]);
    expect(browser.complaints).toEqual([]);
  });
});
