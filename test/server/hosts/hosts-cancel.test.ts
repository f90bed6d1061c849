import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openHttp } from '../open-http.ts';
import { openPlain, type PlainClient, type PlainOptions, textOf } from '../plain-client.ts';

const DROPPED = 'MCP response future dropped';
const CODEX: PlainOptions = { name: 'codex-mcp-client', version: '0.166.0', protocolVersion: '2025-06-18' };
const COPILOT: PlainOptions = { name: 'github-copilot-developer', version: '1.0.102' };
const OTHER: PlainOptions = { name: 'somebody' };

async function open(options = {}) {
  const rig = await openHttp();
  const url = await rig.serve({ unattendedMs: 600_000, ...options });
  const list = async () => (await rig.tasks.list()).tasks;
  const untilHeld = (isHeld: boolean) =>
    until(async () => (await rig.holds()).some(({ by }) => (by !== undefined) === isHeld), { timeoutMs: 60_000 });
  /** Calls, waits until the work is under way, and cancels. */
  const cancel = async (client: PlainClient, reason?: string) => {
    const calling = client.call('wait', {}, { meta: { progressToken: 0 } });
    await untilHeld(true);
    await untilStatus(rig.tasks, await rig.onlyTask(), 'working');
    await client.cancel(reason);
    expect((await calling).result).toBeUndefined();
  };
  return { rig, url, list, cancel, untilHeld };
}

describe('a cancel that no person asked for', () => {
  it('[HOSTS-280] of Codex, on its time-out as on Ctrl-C, leaves the work: three calls, one start, one end', async () => {
    const { rig, url, list, cancel, untilHeld } = await open();
    for (const _ of [1, 2, 3]) {
      await cancel(await openPlain(url, CODEX), DROPPED);
      await untilHeld(false);
    }
    const calling = (await openPlain(url, CODEX)).call('wait');
    await untilHeld(true);
    rig.open();
    expect(textOf(await calling)).toBe('waited');
    expect(await list()).toMatchObject([{ attempt: 1, status: 'completed' }]);
  });

  it.each([
    ['Copilot', COPILOT, 'request timeout'],
    ['an SDK', OTHER, 'McpError: MCP error -32001: Request timed out'],
    ['an SDK that is aborted', OTHER, 'TimeoutError: The operation was aborted due to timeout'],
    ['a client in Go', OTHER, 'context deadline exceeded'],
  ])('[HOSTS-281] by %s that speaks of time leaves it too', async (_, who, reason) => {
    const { rig, url, cancel } = await open();
    await cancel(await openPlain(url, who), reason);
    await until(async () => (await rig.holds())[0]?.cancelAt !== undefined, { what: 'the call to be left' });
    rig.open();
    await untilStatus(rig.tasks, await rig.onlyTask(), 'completed');
  });

  it("[HOSTS-282] by the owner's word leaves it, beside what is known of the client", async () => {
    const profiles = { codex: { giveUpMs: 3_600_000, leaveReasons: ['Turn ended'] } };
    const { rig, url, cancel, untilHeld } = await open({ profiles });
    for (const reason of ['the turn ended early', DROPPED]) {
      await cancel(await openPlain(url, CODEX), reason);
      await untilHeld(false);
    }
    rig.open();
    await untilStatus(rig.tasks, await rig.onlyTask(), 'completed');
  });
});

describe('a cancel by a person', () => {
  it.each([
    ['Codex, with other words', CODEX, 'user interrupted'],
    ['Codex, without a word', CODEX, undefined],
    ['another client, in the words of Codex', OTHER, DROPPED],
  ])('[HOSTS-283] by %s ends the work at once', async (_, who, reason) => {
    const { rig, url, cancel } = await open();
    await cancel(await openPlain(url, who), reason);
    await untilStatus(rig.tasks, await rig.onlyTask(), 'cancelled');
  });
});
