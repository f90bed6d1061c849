/** Takes the text of an event stream apart as it comes. */

// Far above any message that is let through; what is longer has no end.
const MAX_FRAME = 64 * 1024 * 1024;

export class EventText {
  #rest = '';

  /** The messages that are whole with this part, as JSON; events of other names are none. */
  push(part: string): string[] {
    const frames = (this.#rest + part).split(/\r?\n\r?\n/);
    this.#rest = frames.pop() ?? '';
    if (this.#rest.length > MAX_FRAME) throw new Error(`an event is longer than ${MAX_FRAME} characters`);
    return frames.flatMap(toFrameData);
  }
}

/** The messages of one event, as JSON. */
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
