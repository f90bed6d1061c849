/** Clients as their profiles describe them: when they give up, and what they make of progress. */
import type { Clock } from '../../src/clock.ts';
import type { Profile } from '../../src/dialects/server-port.ts';
import { type Heard, type PlainClient, readAdvice, taskOf, textOf } from './plain-client.ts';

export interface Emulated {
  readonly clock: Pick<Clock, 'after'>;
  readonly client: PlainClient;
  readonly profile: Profile;
  readonly token: boolean;
}

/** Calls as a client of this profile does: its clock runs out, and begins anew with progress only where it says so. */
async function callInTime({ clock, client, profile, token }: Emulated, name: string, args: object): Promise<Heard> {
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
export async function runToEnd(emulated: Emulated, work: object): Promise<{ text: string; calls: number }> {
  let calls = 1;
  let heard = await callInTime(emulated, 'work', work);
  while (taskOf(heard)) {
    const { name, args } = readAdvice(textOf(heard));
    calls += 1;
    heard = await callInTime(emulated, name, args);
  }
  return { text: textOf(heard), calls };
}

/** A profile as an owner would write it: what shows who a client is, is left to the known ones. */
export function toOwned(profile: Profile & { readonly signs?: unknown }): Profile {
  const { signs: _, ...owned } = profile;
  return owned;
}

/** Names as such clients report them. */
export function toReported(name: string): string {
  return name === 'claude desktop' ? 'claude-ai' : name.replaceAll(' ', '-');
}
