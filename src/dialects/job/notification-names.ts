/** Names of the job notifications, for both halves. */
export const JOB_PROGRESS = 'notifications/progress';
export const JOB_RESULT = 'notifications/tool_result';
