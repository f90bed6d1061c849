/** The page in a real browser. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../scripts/fetched/chromium.mjs';

const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
];

/** Where the browser is; nothing where there is none, which `npm test` has said loudly by then. */
export const browserPath = findChromium();

export interface OpenBrowser {
  readonly context: BrowserContext;
  /** A new page at an address. Whatever its browser complains of is kept in `complaints`. */
  open(url: string): Promise<Page>;
  readonly complaints: string[];
  close(): Promise<void>;
}

type ContextOptions = NonNullable<Parameters<typeof chromium.launchPersistentContext>[1]>;

export async function startBrowser(options: ContextOptions = {}): Promise<OpenBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'holdfast-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    ...(browserPath !== undefined && { executablePath: browserPath }),
    headless: true,
    args: FLAGS,
    locale: 'en-GB',
    colorScheme: 'light',
    // What moves is drawn by the processor here, all the time.
    reducedMotion: 'reduce',
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  context.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  // The policy of the page reports nothing to a server: it is asked in the page itself.
  await context.exposeFunction('complain', (text: string) => void complaints.push(text));
  await context.addInitScript(
    "addEventListener('securitypolicyviolation', (e) => window.complain('CSP ' + e.violatedDirective + ' ' + e.blockedURI))",
  );
  return {
    context,
    complaints,
    async open(url) {
      const page = await context.newPage();
      page.on('pageerror', (error) => void complaints.push(`error ${error.message}`));
      page.on('dialog', (dialog) => {
        complaints.push(`dialog ${dialog.message()}`);
        void dialog.dismiss();
      });
      await page.goto(url);
      await page.getByRole('navigation').getByRole('link').first().waitFor();
      return page;
    },
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
    },
  };
}

/** Goes to a screen by its name. */
export async function goTo(page: Page, screen: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: screen, exact: true }).click();
}

/** Chooses a tool on the screen of calls. */
export async function chooseTool(page: Page, tool: string): Promise<void> {
  await page
    .locator('label.tool')
    .filter({ hasText: new RegExp(`^${tool}$`) })
    .click();
  await page.getByRole('button', { name: `Call ${tool}`, exact: true }).waitFor();
}

interface AxeResult {
  readonly violations: readonly { id: string; impact: string | null; nodes: readonly { html: string }[] }[];
}

/** Serious faults of accessibility. Evaluated by the debugger, so that the policy of the page need not allow it. */
export async function findFaults(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  const { violations } = (await page.evaluate('axe.run(document)')) as AxeResult;
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return serious.map(({ id, nodes }) => `${id} ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}
