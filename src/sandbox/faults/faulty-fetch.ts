import { isEventStream, toFrameData } from '../wire/event-text.ts';
import type { WireFetch } from '../wire/tap-fetch.ts';

/** What happens to notifications; responses are not affected. */
export type NotificationFault = 'delay' | 'duplicate';

type FrameController = TransformStreamDefaultController<Uint8Array>;

const DELAY_MS = 2000;

/** A `fetch` that can delay or duplicate notifications for a while. */
export class FaultyFetch {
  readonly #fetch: WireFetch;
  readonly #delayMs: number;
  readonly #until = new Map<NotificationFault, number>();

  constructor(fetch: WireFetch, delayMs = DELAY_MS) {
    this.#fetch = fetch;
    this.#delayMs = delayMs;
  }

  readonly fetch: WireFetch = async (url, init) => {
    const answer = await this.#fetch(url, init);
    if (!answer.body || !isEventStream(answer)) return answer;
    const { status, statusText, headers } = answer;
    return new Response(answer.body.pipeThrough(this.#injectFaults()), { status, statusText, headers });
  };

  begin(what: NotificationFault, forMs: number): void {
    this.#until.set(what, performance.now() + forMs);
  }

  #isActive(what: NotificationFault): boolean {
    return performance.now() < (this.#until.get(what) ?? 0);
  }

  #injectFaults(): TransformStream<Uint8Array, Uint8Array> {
    const decoder = new TextDecoder();
    const encoder = new TextEncoder();
    const late = new Set<Promise<void>>();
    let rest = '';
    const send = (controller: FrameController, frame: string) => {
      if (!isNotification(frame)) return controller.enqueue(encoder.encode(frame));
      const all = this.#isActive('duplicate') ? frame + frame : frame;
      if (!this.#isActive('delay')) return controller.enqueue(encoder.encode(all));
      const sending = pause(this.#delayMs)
        .then(() => controller.enqueue(encoder.encode(all)))
        // The reader has closed the stream.
        .catch(() => {})
        .finally(() => late.delete(sending));
      late.add(sending);
    };
    return new TransformStream({
      transform(chunk, controller) {
        const frames = (rest + decoder.decode(chunk, { stream: true })).split(/(?<=\n\n)/);
        rest = frames.at(-1)?.endsWith('\n\n') === false ? (frames.pop() ?? '') : '';
        for (const frame of frames) send(controller, frame);
      },
      async flush(controller) {
        if (rest !== '') controller.enqueue(encoder.encode(rest));
        await Promise.all(late);
      },
    });
  }
}

function isNotification(frame: string): boolean {
  return toFrameData(frame).some((text) => {
    try {
      const message = JSON.parse(text) as { readonly id?: unknown; readonly method?: unknown };
      return message.method !== undefined && message.id === undefined;
    } catch {
      return false;
    }
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}
