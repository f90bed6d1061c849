import { describe, expect, it } from 'vitest';
import { handOverAfterMs } from '../../../src/server/clients/hand-over-time.ts';
import { type Profiles, withKnownProfiles } from '../../../src/server/clients/profiles.ts';

const UUID = '6fa459ea-ee8a-4ca4-894e-db77e160355e';

function patience(
  name: string | undefined,
  {
    profiles = {},
    marginMs = 10_000,
    progressEveryMs = 10_000,
    token = false,
    protocolVersion = '2025-06-18',
    turn,
  }: {
    profiles?: Profiles;
    marginMs?: number;
    progressEveryMs?: number;
    token?: boolean;
    protocolVersion?: string;
    turn?: number;
  } = {},
) {
  const parts = { profiles: () => withKnownProfiles(profiles), settings: { marginMs, progressEveryMs } };
  const client = name === undefined ? {} : { client: { name, version: '0.9.0' } };
  const caller = { capabilities: { elicitation: {} }, protocolVersion, ...client };
  return handOverAfterMs(parts as never, { caller, channel: token ? { progressToken: UUID } : {} } as never, turn);
}

describe('how long a line is held', () => {
  it('[HOLD-01] is until shortly before an unknown client gives up, at 60 s', () => {
    expect([patience('somebody'), patience(undefined), patience('')]).toEqual([50_000, 50_000, 50_000]);
  });

  it('[HOLD-01] is as long as is known of the client, however it spells its name', () => {
    const token = true;
    const held = [patience('codex-mcp-client', { token }), patience('gemini-cli-mcp-client-x', { token })];
    expect(held).toEqual([290_000, 590_000]);
  });

  it('[HOLD-01] is without end where progress restarts the clock and can be shown often enough', () => {
    const copilot = { token: true, protocolVersion: '2026-07-28' };
    expect(patience('copilot', copilot)).toBe(Number.POSITIVE_INFINITY);
    expect(patience('codex', { token: true })).toBe(290_000);
    expect(patience('copilot', { ...copilot, progressEveryMs: 100_000 })).toBe(170_000);
    const owned = { 'our agent': { giveUpMs: 180_000, progressResets: true } };
    expect([
      patience('our-agent', { profiles: owned }),
      patience('our-agent', { profiles: owned, token: true }),
    ]).toEqual([170_000, Number.POSITIVE_INFINITY]);
  });

  it('[HOLD-01] is never less than half of what the client waits', () => {
    expect(patience('quick', { profiles: { quick: { giveUpMs: 4000 } } })).toBe(2000);
  });

  it('[HOSTS-152] grows with each answer that came in time, and stays within what the client bears', () => {
    const grow = (giveUpMs: number) =>
      [0, 1, 2, 3, 999_999].map((turn) => patience('some', { profiles: { some: { giveUpMs } }, turn }));
    expect(grow(60_000)).toEqual([50_000, 55_000, 57_500, 57_500, 57_500]);
    expect(grow(20_000)).toEqual([10_000, 15_000, 17_500, 17_500, 17_500]);
    expect(grow(10_000)).toEqual([5000, 7500, 8000, 8000, 8000]);
    expect(grow(3000)).toEqual([1500, 1500, 1500, 1500, 1500]);
  });

  it('is what the owner says, before what is known', () => {
    expect(patience('codex', { profiles: { codex: { giveUpMs: 3_600_000 } } })).toBe(3_590_000);
    expect(patience('codex', { profiles: { codex: { giveUpMs: null } } })).toBe(Number.POSITIVE_INFINITY);
  });
});
