/** Names of the companion tools, which a server adds for clients without tasks. */
import type { CompanionPrefix } from './companion-prefix.ts';

export const companionNames = ['task_wait', 'task_answer', 'task_cancel', 'task_list'] as const;

export type CompanionName = (typeof companionNames)[number];

/** Returns the companion that a name calls: with or without the prefix, whichever the client was shown. */
export function findCompanion(name: string, { text }: CompanionPrefix): CompanionName | undefined {
  return companionNames.find((companion) => name === companion || name === `${text}${companion}`);
}
