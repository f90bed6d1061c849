/** Answers of the tools and commands that show and change the config. */
import { type Answer, toAnswer } from '../answer.ts';
import type { Monitor } from '../monitor.ts';
import { type FilterConfig, type PriorityConfig, parseFilterList } from './config.ts';

export function showFilter(monitor: Monitor): Answer<FilterConfig> {
  return toAnswer(monitor.showFilter());
}

export function showPriority(monitor: Monitor): Answer<PriorityConfig> {
  return toAnswer(monitor.showPriority());
}

export async function changeFilter(
  monitor: Monitor,
  change: 'add' | 'remove',
  entry: { readonly list: string; readonly value: string },
): Promise<Answer<FilterConfig>> {
  const list = parseFilterList(entry.list);
  const hasChanged =
    change === 'add' ? await monitor.addFilter(list, entry.value) : await monitor.removeFilter(list, entry.value);
  const text = `${entry.value} ${hasChanged ? 'is now' : 'was'} ${change === 'add' ? 'in' : 'not in'} ${list}`;
  return toAnswer(monitor.showFilter(), toMessage(hasChanged, text));
}

/** Sets the priority of a directory, or removes it when none is given. */
export async function changePriority(
  monitor: Monitor,
  path: string,
  priority?: number,
): Promise<Answer<PriorityConfig>> {
  const hasChanged =
    priority === undefined ? await monitor.removePriority(path) : await monitor.setPriority(path, priority);
  const now = hasChanged ? 'now has' : 'had';
  const text = `${path} ${now} ${priority === undefined ? 'no priority' : `priority ${priority}`}`;
  return toAnswer(monitor.showPriority(), toMessage(hasChanged, text));
}

function toMessage(hasChanged: boolean, text: string) {
  return hasChanged ? { type: 'success' as const, text } : { type: 'info' as const, text: `${text} before` };
}
