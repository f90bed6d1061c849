import type { Clock } from '../../index.ts';
import type { Result } from '../wire/read-messages.ts';
import type { WireFetch } from '../wire/tap-fetch.ts';

/** The clock of a simulated client. */
export interface SceneClock extends Pick<Clock, 'after'> {
  /** Milliseconds since the start. */
  elapsed(): number;
  /** Resolves after this time on the clock. */
  elapse(ms: number): Promise<void>;
}

/** A question as a person sees it: shown by the client's host, or put into words by its model. */
export interface PersonQuestion {
  readonly message: string;
  /** Schema of the answer's content; absent if none was given. */
  readonly schema?: unknown;
}

export type PersonAnswer =
  | { readonly action: 'accept'; readonly content?: Result }
  | { readonly action: 'decline' | 'cancel' };

/** The environment of a simulated client: the connection to a server, the clock, and the person who uses the client. */
export interface Scene {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: WireFetch;
  readonly clock: SceneClock;
  askPerson(question: PersonQuestion): Promise<PersonAnswer>;
}
