/**
 * Options of servers and tools that belong to one dialect.
 *
 * They are validated as soon as they are passed in, before any half is loaded, so they are exported here, next to the
 * table.
 */
export { findCompanion } from './inline/companions/companion-names.ts';
export {
  COMPANION_PREFIX_EXPECTED,
  type CompanionPrefix,
  isCompanionPrefix,
  toCompanionPrefix,
} from './inline/companions/companion-prefix.ts';
export {
  parseStreamOption,
  type StreamOption,
  type StreamOptions,
  type StreamSettings,
} from './stream/stream-option.ts';
export { parseResultPolicy, type ResultMode, type ResultOptions, type ResultPolicy } from './tasks-2025/result-mode.ts';
