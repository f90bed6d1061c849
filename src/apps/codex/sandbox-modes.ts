/** What Codex may access, from least to most. In a file of its own with no imports, because the help text uses it. */
export const SANDBOXES = ['read-only', 'workspace-write', 'danger-full-access'] as const;
