import { z } from 'zod';
import type { HoldfastServer } from '../../../index.ts';
import { answer } from '../answer.ts';
import type { Monitor } from '../monitor.ts';
import { FILTER_LISTS } from './config.ts';
import { changeFilter, changePriority, showFilter, showPriority } from './config-answers.ts';

const LOOKS = { readOnlyHint: true, openWorldHint: false };
const CHANGES = { idempotentHint: true, destructiveHint: false, openWorldHint: false };
const entry = z.object({
  list: z.enum(FILTER_LISTS).describe('Which list'),
  value: z.string().describe('A path, the name of a directory, or a glob, as the list has them'),
});
const dir = z.string().describe('An absolute path of a directory, or one that begins with ~/');

/** Tools that show and change filters and priorities. */
export function addConfigTools(server: HoldfastServer, monitor: Monitor): void {
  server
    .tool('wksm_monitor_filter_show', {
      description: 'Show which paths, directories and patterns are included and excluded',
      annotations: LOOKS,
      task: 'never',
      run: () => answer('show the filters', () => showFilter(monitor)),
    })
    .tool('wksm_monitor_filter_add', {
      description: 'Add an entry to a filter list; it counts from the next sync',
      input: entry,
      annotations: CHANGES,
      task: 'never',
      run: (args) => answer('add the filter', () => changeFilter(monitor, 'add', args)),
    })
    .tool('wksm_monitor_filter_remove', {
      description: 'Remove an entry from a filter list; it counts from the next sync',
      input: entry,
      annotations: CHANGES,
      task: 'never',
      run: (args) => answer('remove the filter', () => changeFilter(monitor, 'remove', args)),
    })
    .tool('wksm_monitor_priority_show', {
      description: 'Show the priorities of directories, and the weights',
      annotations: LOOKS,
      task: 'never',
      run: () => answer('show the priorities', () => showPriority(monitor)),
    })
    .tool('wksm_monitor_priority_add', {
      description: 'Give the files in a directory a priority; it counts from the next sync',
      input: z.object({ path: dir, priority: z.number().min(0) }),
      annotations: CHANGES,
      task: 'never',
      run: (args) => answer('set the priority', () => changePriority(monitor, args.path, args.priority)),
    })
    .tool('wksm_monitor_priority_remove', {
      description: 'Take the priority of a directory away',
      input: z.object({ path: dir }),
      annotations: CHANGES,
      task: 'never',
      run: (args) => answer('remove the priority', () => changePriority(monitor, args.path)),
    });
}
