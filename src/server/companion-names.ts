/** Names of the tools that a server adds for clients that know nothing of tasks. */
export const companionNames = ['task_wait', 'task_answer', 'task_cancel', 'task_list'] as const;

export type CompanionName = (typeof companionNames)[number];

export function isCompanion(name: string): name is CompanionName {
  return companionNames.some((companion) => companion === name);
}
