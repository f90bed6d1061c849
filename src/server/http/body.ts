/** Reads a request body, within the limits on memory. */

import { RPC_CODES } from '../../rpc-codes.ts';
import { ALL, type Quota } from '../admission/quota.ts';
import { refuse, refuseBusy, refuseOverQuota } from '../admission/refusals.ts';

/** The chunks of a body; reading starts when the first one is requested. */
export type BodySource = () => AsyncIterable<Uint8Array>;

/** The owner of the bytes, and how many may be held at once. */
export interface BodyLimits {
  readonly principal: string;
  readonly maxBytes: number;
  readonly inAll: Quota;
  readonly perPrincipal: Quota;
}

/** A body in memory. Its bytes are counted until it is released. */
export interface BufferedBody {
  readonly text: string;
  release(): void;
}

// Bodies are read within moments; slow ones have a timeout of their own.
const RETRY_MS = 1000;

export async function bufferBody(
  request: Request,
  source: BodySource,
  limits: BodyLimits,
): Promise<BufferedBody | Response> {
  if (Number(request.headers.get('content-length')) > limits.maxBytes) return refuseLarge(limits.maxBytes);
  const held = new BufferedBytes(limits);
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of source()) {
      const refusal = held.add(chunk.byteLength);
      if (refusal) return refusal;
      text += decoder.decode(chunk, { stream: true });
    }
  } catch {
    // The client disconnected in the middle: not a fault of the server, so it is not logged.
    held.release();
    return refuse(400, { code: RPC_CODES.PARSE_ERROR, message: 'Parse error: the request body ended too early' });
  }
  return { text: text + decoder.decode(), release: () => held.release() };
}

class BufferedBytes {
  readonly #limits: BodyLimits;
  #bytes = 0;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /** Counts more bytes; when they exceed a limit, releases all and returns the refusal. */
  add(bytes: number): Response | undefined {
    const { principal, maxBytes, inAll, perPrincipal } = this.#limits;
    if (this.#bytes + bytes > maxBytes) return this.#refuse(refuseLarge(maxBytes));
    const shortage = { of: 'bytes in flight', retryAfterMs: RETRY_MS };
    if (!inAll.take(ALL, bytes)) return this.#refuse(refuseBusy({ ...shortage, max: inAll.max }));
    if (!perPrincipal.take(principal, bytes)) {
      inAll.release(ALL, bytes);
      return this.#refuse(refuseOverQuota({ ...shortage, max: perPrincipal.max }));
    }
    this.#bytes += bytes;
    return undefined;
  }

  release(): void {
    this.#limits.inAll.release(ALL, this.#bytes);
    this.#limits.perPrincipal.release(this.#limits.principal, this.#bytes);
    this.#bytes = 0;
  }

  #refuse(refusal: Response): Response {
    this.release();
    return refusal;
  }
}

/** The body of a web request, chunk by chunk. */
export async function* readChunks(request: Request): AsyncGenerator<Uint8Array, void> {
  const reader = request.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.releaseLock();
  }
}

function refuseLarge(maxBytes: number): Response {
  return refuse(413, {
    code: RPC_CODES.SERVER_ERROR,
    message: `Payload Too Large: the body may have ${maxBytes} bytes at most`,
  });
}
