/** What Codex may touch, from nothing to everything. Help names them, so nothing is loaded with them. */
export const SANDBOXES = ['read-only', 'workspace-write', 'danger-full-access'] as const;
