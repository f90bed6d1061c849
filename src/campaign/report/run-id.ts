/** Names a run by its time, `YYYYmmdd_HHMMSS` in UTC, so that names sort as the runs were made. */
export function toRunId(at: Date): string {
  const [day = '', time = ''] = at.toISOString().split('T');
  return `${day.replaceAll('-', '')}_${time.slice(0, 8).replaceAll(':', '')}`;
}
