/** Reads the body of a request, and no more of it than there is room for. */

import { RPC_CODES } from '../../rpc-codes.ts';
import { ALL, type Quota } from '../admission/quota.ts';
import { refuse, refuseBusy, refuseGreedy } from '../admission/refusals.ts';

/** Bytes as they come; reading begins when somebody asks for the first. */
export type BodySource = () => AsyncIterable<Uint8Array>;

/** Whose bytes they are, and how many may be held at once. */
export interface BodyLimits {
  readonly principal: string;
  readonly maxBytes: number;
  readonly inAll: Quota;
  readonly perPrincipal: Quota;
}

/** A body in memory. What it takes is counted until it is released. */
export interface HeldBody {
  readonly text: string;
  release(): void;
}

// Bodies are read in moments; those that are not have a time-out of their own.
const RETRY_MS = 1000;

export async function holdBody(request: Request, source: BodySource, limits: BodyLimits): Promise<HeldBody | Response> {
  if (Number(request.headers.get('content-length')) > limits.maxBytes) return refuseLarge(limits.maxBytes);
  const held = new HeldBytes(limits);
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of source()) {
      const refusal = held.add(chunk.byteLength);
      if (refusal) return refusal;
      text += decoder.decode(chunk, { stream: true });
    }
  } catch {
    // Its sender went away in the middle, which is no fault of ours and goes to no log.
    held.release();
    return refuse(400, { code: RPC_CODES.PARSE_ERROR, message: 'Parse error: the request body ended too early' });
  }
  return { text: text + decoder.decode(), release: () => held.release() };
}

class HeldBytes {
  readonly #limits: BodyLimits;
  #bytes = 0;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /** Counts more of the body; when there is no room for it, all is released and the refusal returned. */
  add(bytes: number): Response | undefined {
    const { principal, maxBytes, inAll, perPrincipal } = this.#limits;
    if (this.#bytes + bytes > maxBytes) return this.#refuse(refuseLarge(maxBytes));
    const shortage = { of: 'bytes in flight', retryAfterMs: RETRY_MS };
    if (!inAll.take(ALL, bytes)) return this.#refuse(refuseBusy({ ...shortage, max: inAll.max }));
    if (!perPrincipal.take(principal, bytes)) {
      inAll.give(ALL, bytes);
      return this.#refuse(refuseGreedy({ ...shortage, max: perPrincipal.max }));
    }
    this.#bytes += bytes;
    return undefined;
  }

  release(): void {
    this.#limits.inAll.give(ALL, this.#bytes);
    this.#limits.perPrincipal.give(this.#limits.principal, this.#bytes);
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
