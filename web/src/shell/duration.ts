/** A duration in at most two units. */
export function toDurationText(ms: number): string {
  if (ms < 0) return '0 s';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** A time of day, with its date if that is not today. */
export function toTimeText(at: number, now: number): string {
  const time = new Date(at);
  const clock = time.toTimeString().slice(0, 8);
  const isToday = new Date(now).toDateString() === time.toDateString();
  return isToday ? clock : `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())} ${clock}`;
}

function pad(part: number): string {
  return String(part).padStart(2, '0');
}

export function toSizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} kB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
