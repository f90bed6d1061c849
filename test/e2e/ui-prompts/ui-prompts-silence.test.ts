/** What comes on the line of a call that is answered through the log of prompts: its acknowledgement. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { openRawStdio } from '../raw-client.ts';
import { openSite } from '../site.ts';

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

it.each(['legacy', 'modern'] as const)(
  '[UIP-47] on stdio a client of the %s era hears its acknowledgement and nothing else, whatever the tool tells',
  async (era) => {
    const site = await openSite('prompts-server');
    const client = await openRawStdio(site, era);
    if (era === 'legacy') await client.request('logging/setLevel', { level: 'debug' });
    const uiApp = { stateDir: join(site.dir, 'state') };
    const _meta = { taskId: 'quiet', progressToken: 'p', stream: false, chatos: { uiApp } };
    const params = { name: 'app_run', arguments: { gate: 'q' } };
    const ack = await client.request('tools/call', { ...params, _meta: { ..._meta, [LOG_LEVEL]: 'debug' } });
    expect(ack.result?.structuredContent).toEqual({ status: 'accepted', taskId: 'quiet' });
    await site.untilRuns(1);
    await writeFile(join(site.dir, 'open-q'), '');
    const log = join(site.dir, 'state', 'ui-prompts.jsonl');
    await until(async () => (await readFile(log, 'utf8').catch(() => '')).includes('q is open'), {
      what: 'the prompt',
      timeoutMs: 60_000,
    });
    // What was sent before this answer has come before it.
    expect((await client.request('tools/list', {})).error).toBeUndefined();
    expect(client.others).toEqual([]);
  },
);
