/**
 * A `fetch` whose response bodies are not read while the gate is closed, so that a busy host's messages do not pile up in memory.
 */
import type { FetchLike } from '@modelcontextprotocol/client';
import { patientFetch } from '../transports/patient-fetch.ts';

export class FetchGate {
  #whenOpen: Promise<void> = Promise.resolve();
  #open: (() => void) | undefined;

  readonly fetch: FetchLike = async (url, init) => {
    const response = await patientFetch(url, init);
    const { body, status, statusText, headers } = response;
    if (!body) return response;
    const wait = async (chunk: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>) => {
      await this.#whenOpen;
      controller.enqueue(chunk);
    };
    return new Response(body.pipeThrough(new TransformStream({ transform: wait })), { status, statusText, headers });
  };

  close(): void {
    if (this.#open) return;
    this.#whenOpen = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open?.();
    this.#open = undefined;
  }
}
