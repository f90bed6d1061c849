// @ts-check
/** Opens a browser that takes small screenshots of pages. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium } from '../fetched/chromium.mjs';

const VIEW = { width: 1160, height: 740 };
const QUALITY = 40;

export async function openPage() {
  const { chromium } = await import('playwright-core');
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error('there is no Chromium; install it, or name it in HOLDFAST_CHROMIUM');
  const profile = await mkdtemp(join(tmpdir(), 'holdfast-pictures-'));
  const context = await chromium.launchPersistentContext(profile, {
    ...{ executablePath, headless: true, viewport: VIEW, reducedMotion: 'reduce', locale: 'en-GB' },
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  return {
    /** Opens the URL with the token once, which signs the browser in. @param {string} url */
    async enter(url) {
      await page.goto(url);
      await page.locator('.link-open').waitFor();
    },
    /**
     * @param {{ path: string, waitFor: string }} route
     * @param {{ language: string, theme: string }} look
     */
    async take({ path, waitFor }, { language, theme }) {
      await page.evaluate(`localStorage.setItem('holdfast.language', '${language}')`);
      await page.evaluate(`localStorage.setItem('holdfast.theme', '${theme}')`);
      await page.evaluate(`location.hash = '${path}'`);
      await page.reload();
      await page.locator('.link-open').waitFor();
      await page.locator(waitFor).first().waitFor();
      // Waits for what is drawn with the next state change, such as a list that measures its height.
      await page.waitForTimeout(400);
      const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
      return Buffer.from(data, 'base64');
    },
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
