import type { Clock } from '../../index.ts';
import type { Result } from '../wire/read-messages.ts';
import type { WireFetch } from '../wire/tap-fetch.ts';

/** What time it is for whoever is played. */
export interface SceneClock extends Pick<Clock, 'after'> {
  /** Ms since the beginning. */
  elapsed(): number;
  /** Resolves when so much time has passed. */
  elapse(ms: number): Promise<void>;
}

/** A question as it comes to a person: the host of their client shows it, or their model puts it into words. */
export interface PersonQuestion {
  readonly message: string;
  /** Of the answer's content; nothing where none was given. */
  readonly schema?: unknown;
}

export type PersonAnswer =
  | { readonly action: 'accept'; readonly content?: Result }
  | { readonly action: 'decline' | 'cancel' };

/** Where a client is played: the way to a server, the time, and who sits before the client. */
export interface Scene {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: WireFetch;
  readonly clock: SceneClock;
  askPerson(question: PersonQuestion): Promise<PersonAnswer>;
}
