/**
 * What happens, numbered, for every open page.
 *
 * The newest events are kept, so that a page whose stream was cut goes on after the last one it saw. A page that was away for
 * longer, or comes from another process, is told to read everything again (`reset`).
 */
import { randomBytes } from 'node:crypto';
import type { Principal } from '../../index.ts';

/** Something that pages are told. */
export interface HubEvent {
  readonly type: string;
  readonly data: unknown;
  /** Whose it is; without it only operators hear of it. */
  readonly principal?: string;
}

export interface NumberedEvent extends HubEvent {
  readonly id: string;
}

export type HubListener = (event: NumberedEvent) => void;

const KEPT = 2000;

export class EventHub {
  #epoch = makeEpoch();
  #count = 0;
  #kept: NumberedEvent[] = [];
  readonly #listeners = new Set<HubListener>();

  /** Where somebody who has read everything stands. */
  get cursor(): string {
    return `${this.#epoch}-${this.#count}`;
  }

  publish(event: HubEvent): void {
    this.#count += 1;
    const numbered = { ...event, id: this.cursor };
    this.#kept.push(numbered);
    if (this.#kept.length > KEPT * 2) this.#kept = this.#kept.slice(-KEPT);
    for (const listener of [...this.#listeners]) listener(numbered);
  }

  /** What came after a cursor; nothing when that cannot be told any more. */
  after(cursor: string | undefined): readonly NumberedEvent[] | undefined {
    const [, epoch, count] = /^([\w]+)-(\d{1,15})$/.exec(cursor ?? '') ?? [];
    if (epoch !== this.#epoch) return undefined;
    const missed = this.#count - Number(count);
    if (missed < 0 || missed > this.#kept.length) return undefined;
    return missed === 0 ? [] : this.#kept.slice(-missed);
  }

  onEvent(listener: HubListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Nobody has listened for a while, so that something may have been missed: every cursor until now is void. */
  forget(): void {
    this.#epoch = makeEpoch();
    this.#count = 0;
    this.#kept = [];
  }
}

export function isFor({ principal }: HubEvent, who: Principal): boolean {
  return typeof who !== 'string' || who === principal;
}

function makeEpoch(): string {
  return randomBytes(6).toString('hex');
}
