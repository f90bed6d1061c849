/**
 * The dialects there are, one line each, in the order in which a server asks them whether they take a call: from the most
 * special to the one that takes any. A host reads answers in the opposite order, from the plainest to those that take
 * an answer of any shape for theirs.
 */
import type { Dialect } from './dialect.ts';

export const DIALECTS: readonly Dialect[] = [
  { name: 'ui-prompts', host: () => import('./ui-prompts/host-half.ts').then((half) => half.uiPromptsHost) },
  { name: 'stream', host: () => import('./stream/host-half.ts').then((half) => half.streamHost) },
  { name: 'job', host: () => import('./job/host-half.ts').then((half) => half.jobHost) },
  { name: 'tasks-2025', host: () => import('./tasks-2025/host-half.ts').then((half) => half.tasks2025Host) },
  { name: 'tasks-2026', host: () => import('./tasks-2026/host-half.ts').then((half) => half.tasks2026Host) },
];
