/** What a server tells of itself in a handshake; the same whoever answers it. */
import { TASKS_EXTENSION } from '../dialects/tasks-2026/extension.ts';
import type { Era } from './calls/caller.ts';
import type { ServerSettings } from './server-options.ts';

/** Where a call says by which key it is known; servers that heed it declare it as an experimental capability. */
export const KEY_META = 'holdfast/idempotencyKey';

const COMMON = { tools: { listChanged: false }, logging: {}, experimental: { [KEY_META]: {} } };
const TASKS_2025 = { list: {}, cancel: {}, requests: { tools: { call: {} } } };

export function toServerInfo({ name, version, title }: ServerSettings) {
  return { name, version, ...(title !== undefined && { title }) };
}

export function toCapabilities(era: Era) {
  const own = era === 'modern' ? { extensions: { [TASKS_EXTENSION]: {} } } : { tasks: TASKS_2025 };
  return { ...COMMON, ...own };
}
