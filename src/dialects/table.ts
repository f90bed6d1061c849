/**
 * The dialects, in the order in which they are asked whether they take a call or know an answer. Whoever adds one adds
 * its folder and a line here.
 */
import type { Dialect } from './dialect.ts';
import { TASKS_2025, TASKS_EXTENSION } from './shared/tasks-extension.ts';

export const DIALECTS: readonly Dialect[] = [
  {
    name: 'ui-prompts',
    outbox: () => import('./ui-prompts/server.ts').then((m) => m.promptOutbox),
    server: () => import('./ui-prompts/server-half.ts').then((m) => m.promptServer),
  },
  { name: 'stream', server: () => import('./stream/server-half.ts').then((m) => m.streamServer) },
  { name: 'job', server: () => import('./job/server-half.ts').then((m) => m.jobServer) },
  {
    name: 'tasks-2025',
    capabilities: { legacy: { tasks: TASKS_2025 } },
    server: () => import('./tasks-2025/server-half.ts').then((m) => m.tasks2025Server),
  },
  {
    name: 'tasks-2026',
    capabilities: { modern: { extensions: { [TASKS_EXTENSION]: {} } } },
    server: () => import('./tasks-2026/server-half.ts').then((m) => m.tasks2026Server),
  },
  // Takes whatever the others leave.
  { name: 'inline', server: () => import('./inline/server-half.ts').then((m) => m.inlineServer) },
];
