import { patientFetch } from '../../host/index.ts';

/** A `fetch` whose connections can be cut: every open request fails as if its connection had broken. */
export class CutFetch {
  readonly #open = new Set<AbortController>();

  readonly fetch: typeof patientFetch = async (url, init) => {
    const cutting = new AbortController();
    this.#open.add(cutting);
    const signal = init?.signal ? AbortSignal.any([init.signal, cutting.signal]) : cutting.signal;
    try {
      const answer = await patientFetch(url, { ...init, signal });
      return answer.body ? this.#watch(answer, cutting) : this.#done(answer, cutting);
    } catch (error) {
      this.#open.delete(cutting);
      throw error;
    }
  };

  /** Cuts all open requests; returns how many there were. */
  cut(): number {
    const open = [...this.#open];
    for (const cutting of open) cutting.abort(new Error('the connection was cut on the page'));
    this.#open.clear();
    return open.length;
  }

  #done(answer: Response, cutting: AbortController): Response {
    this.#open.delete(cutting);
    return answer;
  }

  /** The request counts as open until its response body has been read. */
  #watch(answer: Response, cutting: AbortController): Response {
    const passing = new TransformStream<Uint8Array, Uint8Array>({ flush: () => void this.#open.delete(cutting) });
    const body = answer.body?.pipeThrough(passing) ?? null;
    return new Response(body, { status: answer.status, statusText: answer.statusText, headers: answer.headers });
  }
}
