import { expect, it } from 'vitest';
import { withKnownProfiles } from '../../../src/server/clients/profiles.ts';
import { openStage } from '../../clients/stage.ts';
import { runToEnd, toOwned, toReported } from '../emulated-client.ts';
import { openPlain } from '../plain-client.ts';

// Of those that never give up.
const LONG_MS = 600_000;

it.each([true, false])(
  '[HOLD-01] [HOLD-02] every known client runs a tool three times longer than its limit to the end (token: %s)',
  async (token) => {
    // Those that get jobs are never held.
    const table = Object.entries(withKnownProfiles()).filter(([, { jobs, bareJobs }]) => !jobs && !bareJobs);
    expect(table.length).toBeGreaterThan(15);
    const stage = await openStage({
      profiles: Object.fromEntries(table.map(([name, profile]) => [name, toOwned(profile)])),
    });
    const running = table.map(async ([name, profile]) => {
      const label = name.replaceAll(' ', '-');
      const seconds = (3 * (profile.giveUpMs ?? LONG_MS)) / 1000;
      const from = { name: toReported(name), headers: { host: 'localhost' }, fetch: stage.fetch };
      const client = await openPlain('http://localhost/mcp', from);
      const end = await runToEnd({ clock: stage.clock, client, profile, token }, { seconds, label });
      return { name, profile, label, seconds, ...end };
    });
    for (const { name, profile, label, seconds, text, calls } of await stage.clock.drive(Promise.all(running))) {
      expect(text, name).toBe(`worked ${seconds} s`);
      const isHeld = profile.giveUpMs === null || (token && profile.progressResets);
      if (isHeld) expect(calls, name).toBe(1);
      else expect(calls, name).toBeLessThanOrEqual(8);
      expect(stage.countRuns(label), name).toBe(1);
    }
    await stage.close();
  },
);
