import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Profile } from '../../src/dialects/server-port.ts';
import { withKnown } from '../../src/server/clients/profiles.ts';
import { openSite } from '../e2e/site.ts';
import { type Heard, openPlain, type PlainClient, readAdvice, taskOf, textOf } from './plain-client.ts';

/** Every limit is shortened to this one, and the server's times with it. */
const LIMIT_MS = 6000;
const OPTIONS = { marginMs: 4000, progressEveryMs: 500 };
const WORK_MS = LIMIT_MS * 3;

interface Emulated {
  readonly client: PlainClient;
  readonly profile: Profile;
  readonly token: boolean;
}

/** Calls as a client of this profile does: its clock runs out, and begins anew with progress only where it says so. */
async function callInTime({ client, profile, token }: Emulated, name: string, args: object): Promise<Heard> {
  const leaving = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const wind = () => {
    clearTimeout(timer);
    if (profile.giveUpMs !== null) timer = setTimeout(() => leaving.abort(), LIMIT_MS);
  };
  wind();
  try {
    return await client.call(name, args, {
      signal: leaving.signal,
      ...(token && { meta: { progressToken: 1 } }),
      onMessage: ({ method }) => {
        if (profile.progressResets && method === 'notifications/progress') wind();
      },
    });
  } finally {
    clearTimeout(timer);
  }
}

/** Does as it is told until there is a result. */
async function runToEnd(emulated: Emulated, label: string) {
  let calls = 1;
  let heard = await callInTime(emulated, 'work', { ms: WORK_MS, label });
  while (taskOf(heard)) {
    const { name, args } = readAdvice(textOf(heard));
    calls += 1;
    heard = await callInTime(emulated, name, args);
  }
  return { text: textOf(heard), calls };
}

it.each([true, false])(
  '[HOLD-01] [HOLD-02] every known client runs a tool three times longer than its limit to the end (token: %s)',
  async (token) => {
    // Those that get jobs are never held.
    const table = Object.entries(withKnown()).filter(([, { jobs, bareJobs }]) => !jobs && !bareJobs);
    expect(table.length).toBeGreaterThan(15);
    const site = await openSite('plain-server');
    const profiles = Object.fromEntries(
      table.map(([name, profile]) => [name, { ...toOwned(profile), giveUpMs: profile.giveUpMs && LIMIT_MS }]),
    );
    await writeFile(join(site.dir, 'options.json'), JSON.stringify({ ...OPTIONS, profiles, concurrency: 50 }));
    const { url } = await site.serve();
    // The worker is there before anybody's clock runs.
    await (await openPlain(url)).call('work', { ms: 0 });
    const ends = await Promise.all(
      table.map(async ([name, profile]) => {
        const client = await openPlain(url, { name: toReported(name) });
        const end = await runToEnd({ client, profile, token }, name.replaceAll(' ', '-'));
        return [name, profile, end] as const;
      }),
    );
    for (const [name, profile, { text, calls }] of ends) {
      const label = name.replaceAll(' ', '-');
      expect(text, name).toBe(`${label} done`);
      const isHeld = profile.giveUpMs === null || (token && profile.progressResets);
      if (isHeld) expect(calls, name).toBe(1);
      else expect(calls, name).toBeLessThanOrEqual(8);
      expect(
        site.runs().filter((run) => run.startsWith(`${label} `)),
        name,
      ).toEqual([`${label} 1`]);
    }
  },
);

/** A profile as an owner would write it: what shows who a client is, is left to the known ones. */
function toOwned(profile: Profile & { readonly signs?: unknown }): Profile {
  const { signs: _, ...owned } = profile;
  return owned;
}

/** Names as such clients report them. */
function toReported(name: string): string {
  return name === 'claude desktop' ? 'claude-ai' : name.replaceAll(' ', '-');
}
