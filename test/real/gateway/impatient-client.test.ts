/** Clients that give up after ten seconds, with published servers whose tools take longer; one of them five minutes. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { until } from 'holdfast/testing';
import { describe, it } from 'vitest';
import { describeProcess, listMarked, MARK } from '../../../dist/campaign/chaos/marked.js';
import { inRoot } from '../../../scripts/root.mjs';
import { runCli } from '../../cli/run-cli.ts';
import { fetchPostgres, openPostgres } from './open-postgres.ts';
import {
  COMMANDS,
  DESKTOP_COMMANDER,
  EVERYTHING,
  fetchChromium,
  POSTGRES,
  toCommand,
  toPlaywright,
} from './published-servers.ts';

const GIVE_UP_MS = 10_000;
const FIVE_MINUTES_S = 300;

interface Subject {
  readonly name: string;
  readonly call: { readonly name: string; readonly arguments: Record<string, unknown> };
  readonly text: string;
  /** Whether what it needs is there. @default true */
  readonly canRun?: boolean;
  /** The command that starts it, and what is to be closed afterwards. */
  open(dir: string): Promise<{ readonly command: readonly string[]; close?(): Promise<void> }>;
}

const [postgres, chromium] = [await fetchPostgres(), await fetchChromium()];

const SUBJECTS: readonly Subject[] = [
  {
    name: 'server-everything, for five minutes',
    call: { name: 'trigger-long-running-operation', arguments: { duration: FIVE_MINUTES_S, steps: 10 } },
    text: `Long running operation completed. Duration: ${FIVE_MINUTES_S} seconds, Steps: 10.`,
    open: async () => ({ command: await toCommand(EVERYTHING, 'stdio') }),
  },
  {
    name: 'mcp-server-commands',
    call: { name: 'run_command', arguments: { command: 'sleep 25; echo slept' } },
    text: 'slept',
    open: async () => ({ command: await toCommand(COMMANDS) }),
  },
  {
    name: 'desktop-commander',
    call: { name: 'start_process', arguments: { command: 'sleep 25; echo slept', timeout_ms: 120_000 } },
    text: 'slept',
    open: async () => ({ command: await toCommand(DESKTOP_COMMANDER) }),
  },
  {
    name: 'server-postgres',
    call: { name: 'query', arguments: { sql: "select 'slept' as said, pg_sleep(25)" } },
    text: 'slept',
    canRun: postgres !== undefined,
    async open() {
      const { url, close } = await openPostgres(postgres ?? '');
      return { command: await toCommand(POSTGRES, url), close };
    },
  },
  {
    name: '@playwright/mcp',
    call: {
      name: 'browser_run_code_unsafe',
      arguments: { code: "async (page) => { await page.waitForTimeout(25000); return 'slept'; }" },
    },
    text: 'slept',
    canRun: chromium !== undefined,
    open: async (dir) => ({ command: await toPlaywright(chromium ?? '', dir) }),
  },
];

// Together: most of the time nothing happens.
describe.concurrent('a client that waits for ten seconds', () => {
  for (const { name, call, text, canRun = true, open } of SUBJECTS) {
    it.skipIf(!canRun)(
      `[GATE-230] ${name}: gets the result of a longer call, which ran once, and nothing is left running`,
      async ({ expect, onTestFinished }) => {
        const dir = await mkdtemp(join(tmpdir(), 'holdfast-impatient-'));
        const mark = randomUUID();
        const { command, close } = await open(dir);
        onTestFinished(async () => {
          await close?.();
          await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
        });
        const args = [inRoot('dist', 'cli', 'main.js'), 'gateway', '--name', 'patient', '--', ...command];
        const own = { HOLDFAST_DIR: dir, HOME: dir, [MARK]: mark };
        const env = { ...(process.env as Record<string, string>), ...own };
        const client = new Client({ name: 'impatient', version: '1' });
        onTestFinished(() => client.close());
        const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' });
        await client.connect(transport, { timeout: 60_000 });
        let gaveUp = 0;
        const ask = () =>
          client.callTool(call, undefined, { timeout: GIVE_UP_MS }).catch(() => {
            gaveUp += 1;
            return undefined;
          });
        const timeoutMs = FIVE_MINUTES_S * 2000;
        // What only says how to go on waiting is no result.
        const result = await until(async () => [await ask()].find((one) => JSON.stringify(one)?.includes(text)), {
          what: 'the result',
          timeoutMs,
        });
        expect(gaveUp).toBeGreaterThan(0);
        expect(result?.isError).not.toBe(true);
        const { stdout } = await runCli(['tasks', 'list', '--name', 'patient', '--all', '--json'], own);
        expect(stdout.trim().split('\n')).toHaveLength(1);
        await client.close();
        await until(() => listMarked(mark).length === 0, {
          what: 'the end of all processes',
          timeoutMs: 120_000,
        }).catch((cause: unknown) => {
          throw new Error(`still there: ${JSON.stringify(listMarked(mark).map(describeProcess))}`, { cause });
        });
      },
      FIVE_MINUTES_S * 3000,
    );
  }
});
