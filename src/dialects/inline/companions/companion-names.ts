/** Names of the tools that a server adds for clients that know nothing of tasks. */
import type { CompanionPrefix } from './companion-prefix.ts';

export const companionNames = ['task_wait', 'task_answer', 'task_cancel', 'task_list'] as const;

export type CompanionName = (typeof companionNames)[number];

/** Which of them is called by a name: by its plain one, or by the one with the prefix, whichever the client was shown. */
export function findCompanion(name: string, { text }: CompanionPrefix): CompanionName | undefined {
  return companionNames.find((companion) => name === companion || name === `${text}${companion}`);
}
