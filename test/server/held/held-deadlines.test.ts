import { expect, it } from 'vitest';
import type { Profile } from '../../../src/dialects/server-port.ts';
import { withKnown } from '../../../src/server/clients/profiles.ts';
import { openStage, type Stage } from '../../clients/stage.ts';
import { type Heard, openPlain, type PlainClient, readAdvice, taskOf, textOf } from '../plain-client.ts';

// Of those that never give up.
const LONG_MS = 600_000;

interface Emulated {
  readonly stage: Stage;
  readonly client: PlainClient;
  readonly profile: Profile;
  readonly token: boolean;
}

/** Calls as a client of this profile does: its clock runs out, and begins anew with progress only where it says so. */
async function callInTime(
  { stage: { clock }, client, profile, token }: Emulated,
  name: string,
  args: object,
): Promise<Heard> {
  const leaving = new AbortController();
  let stop = () => {};
  const wind = () => {
    stop();
    const { giveUpMs = null } = profile;
    if (giveUpMs !== null) stop = clock.after(giveUpMs, () => leaving.abort());
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
    stop();
  }
}

/** Does as it is told until there is a result. */
async function runToEnd(emulated: Emulated, work: object) {
  let calls = 1;
  let heard = await callInTime(emulated, 'work', work);
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
    const stage = await openStage({
      profiles: Object.fromEntries(table.map(([name, profile]) => [name, toOwned(profile)])),
    });
    const running = table.map(async ([name, profile]) => {
      const label = name.replaceAll(' ', '-');
      const seconds = (3 * (profile.giveUpMs ?? LONG_MS)) / 1000;
      const from = { name: toReported(name), headers: { host: 'localhost' }, fetch: stage.fetch };
      const client = await openPlain('http://localhost/mcp', from);
      const end = await runToEnd({ stage, client, profile, token }, { seconds, label });
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

/** A profile as an owner would write it: what shows who a client is, is left to the known ones. */
function toOwned(profile: Profile & { readonly signs?: unknown }): Profile {
  const { signs: _, ...owned } = profile;
  return owned;
}

/** Names as such clients report them. */
function toReported(name: string): string {
  return name === 'claude desktop' ? 'claude-ai' : name.replaceAll(' ', '-');
}
