/** What test/server/held/held-deadlines.test.ts plays on a clock that stands still, with a server process and a worker. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { withKnownProfiles } from '../../../src/server/clients/profiles.ts';
import { openSite } from '../../e2e/site.ts';
import { runToEnd, toOwned, toReported } from '../../server/emulated-client.ts';
import { openPlain } from '../../server/plain-client.ts';

/** Every limit is shortened to this one, and the server's times with it. */
const LIMIT_MS = 12_000;
const OPTIONS = { marginMs: 9000, progressEveryMs: 500 };
const WORK_MS = LIMIT_MS * 3;

it.each([true, false])(
  '[HOLD-01] [HOLD-02] every known client runs a tool three times longer than its limit to the end (token: %s)',
  async (token) => {
    // Those that get jobs are never held.
    const table = Object.entries(withKnownProfiles()).filter(([, { jobs, bareJobs }]) => !jobs && !bareJobs);
    expect(table.length).toBeGreaterThan(15);
    const site = await openSite('plain-server');
    const owned = table.map(([name, profile]) => {
      const { giveUpMs, ...rest } = toOwned(profile);
      return [name, { ...rest, giveUpMs: giveUpMs && LIMIT_MS }] as const;
    });
    const options = { ...OPTIONS, profiles: Object.fromEntries(owned), concurrency: 50 };
    await writeFile(join(site.dir, 'options.json'), JSON.stringify(options));
    const { url } = await site.serve();
    // The worker is there before anybody's clock runs.
    await (await openPlain(url)).call('work', { ms: 0 });
    const ends = await Promise.all(
      owned.map(async ([name, profile]) => {
        const client = await openPlain(url, { name: toReported(name) });
        const label = name.replaceAll(' ', '-');
        const end = await runToEnd({ clock: systemClock, client, profile, token }, { ms: WORK_MS, label });
        return { name, profile, label, ...end };
      }),
    );
    for (const { name, profile, label, text, calls } of ends) {
      expect(text, name).toBe(`${label} done`);
      const isHeld = profile.giveUpMs === null || (token && profile.progressResets);
      if (isHeld) expect(calls, name).toBe(1);
      else expect(calls, name).toBeLessThanOrEqual(8);
      const runs = site.runs().filter((run) => run.startsWith(`${label} `));
      expect(runs, name).toEqual([`${label} 1`]);
    }
  },
);
