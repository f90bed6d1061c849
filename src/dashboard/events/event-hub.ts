/**
 * Numbered events for every open page.
 *
 * The newest events are kept, so that a page whose stream was cut can resume after the last one it saw. A page that was away for
 * longer, or was served by another process, gets `reset`: it must read everything again.
 */
import { randomBytes } from 'node:crypto';
import type { Principal } from '../../index.ts';

/** An event sent to pages. */
export interface HubEvent {
  readonly type: string;
  readonly data: unknown;
  /** The principal that may see it; only operators when absent. */
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

  /** The cursor after the newest event. */
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

  /** Returns the events after a cursor; undefined when they are no longer available. */
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

  /** Invalidates all cursors: the store was not subscribed to for a while, so events may have been missed. */
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
