/** The messages in a frame of an event stream, as JSON; events of other names are none. */
export function toSseData(frame: string): string[] {
  const lines = frame.split('\n');
  if (lines.some((line) => line.startsWith('event: ') && line !== 'event: message')) return [];
  return lines.filter((line) => line.startsWith('data: {')).map((line) => line.slice('data: '.length));
}
