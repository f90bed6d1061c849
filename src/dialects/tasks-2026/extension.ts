/** The name of the tasks extension of 2026-07-28. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** How far a task is, from 0 to 1; the extension itself has only words for it. */
export const PROGRESS_META = 'holdfast/progress';
