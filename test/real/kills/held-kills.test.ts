import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openSite, type Site } from '../../e2e/site.ts';
import { type Heard, openPlain, type PlainClient, taskOf, textOf } from '../../server/plain-client.ts';

const PROFILES = { brief: { giveUpMs: 400 }, patient: { giveUpMs: null } };
const GATE = { name: 'a' };

/** Calls until there is an answer or the server is gone, in a way that makes it pass the point. */
type Story = (client: PlainClient, site: Site) => Promise<Heard | undefined>;

const quiet = (calling: Promise<Heard>): Promise<Heard | undefined> => calling.catch(() => undefined);
const openGate = (site: Site) => writeFile(join(site.dir, `open-${GATE.name}`), '');

const callAndGet: Story = async (client, site) => {
  const calling = quiet(client.call('gate', GATE));
  await Promise.race([calling, site.untilRuns(1)]);
  await openGate(site);
  return calling;
};

const callAndLeave: Story = async (client, site) => {
  const leaving = new AbortController();
  const calling = quiet(client.call('gate', GATE, { signal: leaving.signal }));
  await Promise.race([calling, site.untilRuns(1)]);
  leaving.abort();
  return calling;
};

const callAndHandOver: Story = (client) => quiet(client.call('gate', GATE));

const handOverAndWait: Story = async (client) => {
  const task_id = taskOf(await client.call('gate', GATE))?.taskId;
  return quiet(client.call('task_wait', { task_id }));
};

const handOverAndCallAgain: Story = async (client) => {
  await client.call('gate', GATE);
  return quiet(client.call('gate', GATE));
};

/** Where a server of held calls writes, and how to make it. */
const STORIES = {
  submit: { call: callAndGet },
  'hold-attend': { wait: handOverAndWait, 'call again': handOverAndCallAgain },
  'hold-release': { leave: callAndLeave, 'hand over': callAndHandOver },
  'hold-remove': { result: callAndGet },
} as const;

const CASES = Object.entries(STORIES).flatMap(([write, stories]) =>
  Object.entries(stories).flatMap(([how, story]) =>
    (['before', 'after'] as const).map((side) => ({ side, write, how, story: story as Story })),
  ),
);

async function openArmed(crashAt: string) {
  const site = await openSite('plain-server');
  const options = { profiles: PROFILES, marginMs: 200, unattendedMs: 60_000, crashAt };
  await writeFile(join(site.dir, 'options.json'), JSON.stringify(options));
  return { site, victim: await site.serve() };
}

async function runToEnd(client: PlainClient): Promise<Heard> {
  let heard = await client.call('gate', GATE);
  while (taskOf(heard)) heard = await client.call('task_wait', { task_id: taskOf(heard)?.taskId });
  return heard;
}

async function untilDead({ url }: { url: string }): Promise<void> {
  await until(
    () =>
      fetch(url).then(
        () => false,
        () => true,
      ),
    { what: 'the server to be killed' },
  );
}

describe('kill -9 of a server that holds a call', () => {
  for (const { side, write, how, story } of CASES) {
    it(`[HOLD-17] ${side} the write of ${write} (${how}): the work runs once, and its result is to be had`, async () => {
      const { site, victim } = await openArmed(`${write}:${side}`);
      const name = how === 'call' || how === 'result' || how === 'leave' ? 'patient' : 'brief';
      const heard = await story(await openPlain(victim.url, { name }), site);
      await untilDead(victim);
      await openGate(site);
      // A client that has its result does not call again.
      const isAnswered = heard !== undefined && heard.result !== undefined && !taskOf(heard);
      const next = await openPlain((await site.serve()).url, { name });
      const last = isAnswered ? heard : await runToEnd(next);
      expect(textOf(last)).toBe('gate a is open');
      expect(site.runs()).toEqual(['gate a 1']);
      expect((await site.tasks.list()).tasks).toHaveLength(1);
      await site.untilIdle();
    });
  }

  it('[HOLD-14] cancels what it held when nobody comes back, by another server', async () => {
    const site = await openSite('plain-server');
    await writeFile(join(site.dir, 'options.json'), JSON.stringify({ profiles: PROFILES, unattendedMs: 300 }));
    const victim = await site.serve();
    const calling = quiet((await openPlain(victim.url, { name: 'patient' })).call('gate', GATE));
    await site.untilRuns(1);
    await victim.kill();
    expect(await calling).toBeUndefined();
    await site.serve();
    const outcome = await until(async () => (await site.tasks.list()).tasks[0]?.outcome, { what: 'the end' });
    expect(outcome).toEqual({ kind: 'cancelled', reason: 'its client went away and did not come back' });
  });

  it('[HOLD-11] lets a server that is there already join what it held, at once', async () => {
    const site = await openSite('plain-server');
    await writeFile(join(site.dir, 'options.json'), JSON.stringify({ profiles: PROFILES }));
    const [victim, other] = [await site.serve(), await site.serve()];
    const calling = quiet((await openPlain(victim.url, { name: 'patient' })).call('gate', GATE));
    await site.untilRuns(1);
    const client = await openPlain(other.url, { name: 'patient' });
    await victim.kill();
    const again = client.call('gate', GATE);
    expect(await calling).toBeUndefined();
    await openGate(site);
    expect(textOf(await again)).toBe('gate a is open');
    expect(site.runs()).toEqual(['gate a 1']);
  });
});
