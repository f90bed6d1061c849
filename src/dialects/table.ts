/**
 * The dialects, in the order in which a server asks them whether they claim a call: from the most specific to the one
 * that claims any. A host reads answers in the opposite order, from the plainest dialect to those that accept an answer
 * of any shape as theirs. To add a dialect, add its folder and a line here.
 */
import type { Dialect } from './dialect.ts';
import { UI_EXTENSION } from './shared/apps-extension.ts';
import { TASKS_2025, TASKS_EXTENSION } from './shared/tasks-extension.ts';

export const DIALECTS: readonly Dialect[] = [
  {
    name: 'ui-prompts',
    outbox: () => import('./ui-prompts/server.ts').then((m) => m.promptOutbox),
    server: () => import('./ui-prompts/server-half.ts').then((m) => m.promptServer),
    host: () => import('./ui-prompts/host-half.ts').then((m) => m.uiPromptsHost),
  },
  {
    name: 'stream',
    server: () => import('./stream/server-half.ts').then((m) => m.streamServer),
    host: () => import('./stream/host-half.ts').then((m) => m.streamHost),
  },
  {
    name: 'job',
    server: () => import('./job/server-half.ts').then((m) => m.jobServer),
    host: () => import('./job/host-half.ts').then((m) => m.jobHost),
  },
  {
    name: 'tasks-2025',
    capabilities: { legacy: { tasks: TASKS_2025 } },
    server: () => import('./tasks-2025/server-half.ts').then((m) => m.tasks2025Server),
    host: () => import('./tasks-2025/host-half.ts').then((m) => m.tasks2025Host),
  },
  {
    name: 'tasks-2026',
    capabilities: { modern: { extensions: { [TASKS_EXTENSION]: {} } } },
    server: () => import('./tasks-2026/server-half.ts').then((m) => m.tasks2026Server),
    host: () => import('./tasks-2026/host-half.ts').then((m) => m.tasks2026Host),
  },
  // Claims every call that the others leave. A host needs no half for it: the answer is the result.
  { name: 'inline', server: () => import('./inline/server-half.ts').then((m) => m.inlineServer) },
];

const VIEWS = { resources: {}, extensions: { [UI_EXTENSION]: {} } };

/** Views of MCP Apps, for servers that enable them. It claims no calls: it adds to the answers of the other dialects. */
export const APPS: Dialect = {
  name: 'apps',
  capabilities: { legacy: VIEWS, modern: VIEWS },
  server: () => import('./apps/server-half.ts').then((m) => m.appsServer),
};
