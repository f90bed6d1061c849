/** Parses the text of an event stream incrementally. */

// Far above the size limit of any message; a longer event is assumed to be endless.
const MAX_FRAME = 64 * 1024 * 1024;

export class EventText {
  #rest = '';

  /** Returns the messages completed by this part, as JSON; events with other names are skipped. */
  push(part: string): string[] {
    const frames = (this.#rest + part).split(/\r?\n\r?\n/);
    this.#rest = frames.pop() ?? '';
    if (this.#rest.length > MAX_FRAME) throw new Error(`an event is longer than ${MAX_FRAME} characters`);
    return frames.flatMap(toFrameData);
  }
}

/** Returns the messages of one event, as JSON. */
export function toFrameData(frame: string): string[] {
  const lines = frame.split(/\r?\n/);
  if (lines.some((line) => line.startsWith('event:') && line.slice(6).trim() !== 'message')) return [];
  const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5).replace(/^ /, ''));
  const text = data.join('\n');
  return text.trim() === '' ? [] : [text];
}

export function isEventStream(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('text/event-stream') === true;
}
