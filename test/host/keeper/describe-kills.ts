/** Hosts and keepers that are killed at every moment of a call to a server that knows no tasks. */
import { describe, expect, it } from 'vitest';
import { textOf } from '../open-host.ts';
import { type KeptDesk, openKept, openKeptHttp, untilOver } from './open-kept.ts';

interface Moment {
  readonly when: string;
  /** Where the host kills itself; otherwise it is killed when the server has the call. */
  readonly point?: string;
}

const IN_THE_MIDDLE: Moment = { when: 'when the server has it' };

export const MOMENTS: readonly Moment[] = [
  { when: 'before the call is sent', point: 'call-create:after' },
  IN_THE_MIDDLE,
  { when: 'when the answer is there', point: 'call-settle:before' },
  { when: 'when the answer is on disk', point: 'call-settle:after' },
  { when: 'before it is acknowledged', point: 'call-ack:before' },
];

/** How the server is reached. */
export interface Way {
  readonly way: string;
  open(): Promise<KeptDesk>;
  readonly moments: readonly Moment[];
  /** Whether its keeper is killed too. */
  readonly killsKeeper: boolean;
  /** Whether the server asks within a call. */
  readonly asks: boolean;
  /** What the server notes when it is told that a call is not wanted any more. */
  readonly cancelled: string;
}

export const STDIO: Way = {
  way: 'on stdio',
  open: openKept,
  moments: MOMENTS,
  killsKeeper: true,
  asks: true,
  cancelled: 'told notifications/cancelled',
};

export const NEWER_HTTP: Way = {
  way: 'over HTTP of the newer era',
  open: () => openKeptHttp('newer'),
  moments: MOMENTS,
  killsKeeper: true,
  asks: false,
  cancelled: 'cancelled a',
};

export const OLDER_HTTP: Way = {
  way: 'over HTTP of the older era',
  open: () => openKeptHttp('older'),
  moments: [IN_THE_MIDDLE],
  killsKeeper: false,
  asks: true,
  cancelled: 'cancelled a',
};

/** The whole matrix of one way. */
export function describeKills(way: Way): void {
  describe(`a host that is killed during a call to a server that knows no tasks, ${way.way}`, () =>
    describeHostKills(way));
  if (way.killsKeeper) describe(`a keeper that is killed, ${way.way}`, () => describeKeeperKills(way));
}

function describeHostKills(way: Way): void {
  it.each(way.moments)(
    '[FIRST-130] [FIRST-155] $when: the next one gives its result once, and it ran once',
    async ({ point }) => {
      const desk = await way.open();
      if (point !== undefined) await desk.open('a');
      await desk.killHost('hold', 'a', point);
      await desk.open('a');
      const { host, calls } = await desk.next();
      const outcomes = await Promise.all(calls.map((call) => call.outcome()));
      expect(outcomes.map(textOf)).toEqual(['a is open']);
      expect(await calls[0]?.ack()).toBe(true);
      expect(await host.resume()).toEqual([]);
      expect(desk.runs('hold a')).toBe(1);
      await host.close();
      await untilOver(desk);
      expect(desk.errors).toEqual([]);
    },
  );

  it('[FIRST-131] [FIRST-155] finds the result in the ledger, although nobody was there when it came', async () => {
    const desk = await way.open();
    await desk.killHost('hold', 'a');
    expect(desk.keepers()).toHaveLength(1);
    await desk.open('a');
    await untilOver(desk);
    const [call] = await (await desk.host()).resume();
    expect(call && textOf(await call.outcome())).toBe('a is open');
    expect(desk.runs('hold a')).toBe(1);
  });

  it.runIf(way.asks)('[FIRST-132] [FIRST-157] hears what the server asked while nobody was there', async () => {
    const desk = await way.open();
    await desk.open('a');
    await desk.killHost('ask', 'a');
    const onQuestion = () => ({ action: 'accept', content: { name: 'Ada' } });
    const { calls } = await desk.next({ onQuestion });
    expect(calls[0] && textOf(await calls[0].outcome())).toBe('a is Ada');
    expect(desk.runs('ask a')).toBe(1);
  });

  it('[FIRST-133] [FIRST-157] cancels what the killed one had sent', async () => {
    const desk = await way.open();
    await desk.killHost('hold', 'a');
    const { calls } = await desk.next();
    await calls[0]?.cancel('enough');
    expect(await calls[0]?.outcome()).toMatchObject({ kind: 'cancelled' });
    await desk.untilNoted(way.cancelled);
  });

  it('[FIRST-133] [FIRST-157] cancels it as well when that was asked for before it was connected', async () => {
    const desk = await way.open();
    await desk.killHost('hold', 'a');
    let cancelling: Promise<unknown> | undefined;
    const { calls } = await desk.next({}, ([call]) => {
      cancelling = call?.cancel('enough');
    });
    await cancelling;
    expect(await calls[0]?.outcome()).toMatchObject({ kind: 'cancelled' });
    await desk.untilNoted(way.cancelled);
  });

  it('[FIRST-133] [FIRST-157] cancels its own calls, as long as it lives', async () => {
    const desk = await way.open();
    const { host } = await desk.next();
    const stop = new AbortController();
    const call = await host.call('made', 'hold', { gate: 'a' }, { signal: stop.signal });
    await desk.untilNoted('hold a');
    stop.abort(new Error('enough'));
    expect(await call.outcome()).toMatchObject({ kind: 'cancelled' });
    await desk.untilNoted(way.cancelled);
  });
}

function describeKeeperKills(way: Way): void {
  it.each([
    { tool: 'hold', kind: 'interrupted', runs: 1 },
    { tool: 'read', kind: 'result', runs: 2 },
  ])('[FIRST-134] [FIRST-158] with its host: $tool ends as $kind', async ({ tool, kind, runs }) => {
    const desk = await way.open();
    await desk.killHost(tool, 'a');
    await desk.killKeeper();
    await desk.open('a');
    const { calls } = await desk.next();
    expect(await calls[0]?.outcome()).toMatchObject({ kind });
    expect(desk.runs(`${tool} a`)).toBe(runs);
  });

  it('[FIRST-134] [FIRST-158] under a host that lives: what may not be repeated is interrupted, the rest comes back', async () => {
    const desk = await way.open();
    const { host } = await desk.next();
    const calls = [await host.call('made', 'hold', { gate: 'a' }), await host.call('made', 'read', { gate: 'a' })];
    for (const tool of ['hold', 'read']) await desk.untilNoted(`${tool} a`);
    await desk.killKeeper();
    await desk.open('a');
    const outcomes = await Promise.all(calls.map((call) => call.outcome()));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['interrupted', 'result']);
  });
}
