/** A gateway whose parts are killed in the middle of calls. */
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openRawStdio } from '../e2e/raw-client.ts';
import { begin, finish } from '../e2e/raw-task.ts';
import { foreign, type GatewaySite, openGateway } from './open-gateway.ts';

const handmade = foreign('handmade-server');

const count = (site: GatewaySite, line: string) => site.runs().filter((one) => one === line).length;

/** The processes of the server, the newest last. */
const pidsOf = (site: GatewaySite) =>
  site.runs().flatMap((line) => (line.startsWith('runs ') ? [Number(line.slice(5))] : []));

describe('a gateway', () => {
  it('[GATE-206] whose worker is killed goes on with its calls, which are made once', async () => {
    const site = await openGateway(handmade);
    const client = await openRawStdio(site, 'modern');
    const taskId = await begin(client, 'hold', { gate: 'a' });
    await site.untilNoted('hold a');
    process.kill(await site.workerPid(), 'SIGKILL');
    const attempt = async () => (await site.tasks.get(taskId)).attempt;
    await until(async () => (await attempt()) > 1, { what: 'the second attempt', timeoutMs: 60_000 });
    await site.open('a');
    expect(await finish(client, taskId)).toEqual({ text: 'a is open' });
    expect(count(site, 'hold a')).toBe(1);
    expect(pidsOf(site)).toHaveLength(1);
  });

  it('[GATE-207] whose server is killed starts it again, and says of a call that may have done something that nobody knows', async () => {
    const site = await openGateway(handmade);
    const client = await openRawStdio(site, 'modern');
    const [once, again] = [await begin(client, 'hold', { gate: 'b' }), await begin(client, 'put', { gate: 'c' })];
    await site.untilNoted('hold b');
    await site.untilNoted('put c');
    process.kill(pidsOf(site).at(-1) ?? 0, 'SIGKILL');
    expect(await finish(client, once)).toMatchObject({
      error: {
        code: -32603,
        message: expect.stringMatching(/^Interrupted: upstream handmade-server: outcome unknown/),
      },
    });
    await until(() => count(site, 'put c') === 2, { what: 'the second call', timeoutMs: 60_000 });
    await site.open('c');
    expect(await finish(client, again)).toEqual({ text: 'c is open' });
    expect(count(site, 'hold b')).toBe(1);
    expect(pidsOf(site)).toHaveLength(2);
  });
});
