/** Names of the tools that a server adds for clients that know nothing of tasks. */
import type { Caller } from '../calls/caller.ts';
import { findProfile } from '../clients/profiles.ts';
import type { ServerParts } from '../server-parts.ts';
import type { CompanionPrefix } from './companion-prefix.ts';

export const companionNames = ['task_wait', 'task_answer', 'task_cancel', 'task_list'] as const;

export type CompanionName = (typeof companionNames)[number];

/** Which of them is called by a name: by its plain one, or by the one with the prefix, whichever the client was shown. */
export function findCompanion(name: string, { text }: CompanionPrefix): CompanionName | undefined {
  return companionNames.find((companion) => name === companion || name === `${text}${companion}`);
}

/** What stands before their names for this client; nothing for one that tells the tools of servers apart by itself. */
export function toShownPrefix({ settings, profiles }: ServerParts, { client }: Caller): string {
  const { text, when } = settings.companionPrefix;
  if (when === 'always') return text;
  return findProfile(profiles(), client?.name).prefixesTools === true ? '' : text;
}
