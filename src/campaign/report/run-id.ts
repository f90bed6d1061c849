/** Names a run by its time, `YYYYmmdd_HHMMSS` in UTC, so that names sort chronologically. */
export function toRunId(at: Date): string {
  const [day = '', time = ''] = at.toISOString().split('T');
  return `${day.replaceAll('-', '')}_${time.slice(0, 8).replaceAll(':', '')}`;
}
