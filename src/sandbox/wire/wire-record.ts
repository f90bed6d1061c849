/** What went over a wire, as the page shows it: masked, and no more of it than a page can hold. */
import { Scrubber } from '../../codec/redaction.ts';
import { findSecretFields } from '../../codec/secret-fields.ts';
import { isObject } from '../../is-object.ts';
import { cutText } from '../../text/cut-text.ts';
import type { Direction } from './tap-fetch.ts';

/** One message, in JSON with secrets masked. */
export interface WireMessage {
  /** Ms since the beginning, on the clock of who is shown. */
  readonly at: number;
  readonly direction: Direction;
  /** The method, or which request is answered. */
  readonly label: string;
  readonly text: string;
  /** Of the whole, in characters. */
  readonly size: number;
}

const MAX_TEXT = 8000;
const MAX_DEPTH = 12;
const MAX_SCHEMAS = 20;
const RUN = { first: 250, last: 250 };

/** Keeps the first and the newest of many. */
export class FewOf<T> {
  readonly #first: T[] = [];
  readonly #limits: { readonly first: number; readonly last: number };
  #last: T[] = [];
  #count = 0;

  constructor(limits = RUN) {
    this.#limits = limits;
  }

  add(one: T): void {
    this.#count += 1;
    if (this.#first.length < this.#limits.first) this.#first.push(one);
    else this.#last = [...this.#last, one].slice(-this.#limits.last);
  }

  get kept(): readonly T[] {
    return [...this.#first, ...this.#last];
  }

  /** How many were dropped in between, after the first ones. */
  get left(): number {
    return this.#count - this.#first.length - this.#last.length;
  }
}

/** Knows what must not be shown: what schemas call secret, in arguments and in answers, wherever it stands later. */
export class WireMask {
  readonly #scrubber = new Scrubber();
  readonly #asked = new Map<string, unknown>();

  /** From now on what this schema calls secret in a value is masked. */
  learn(schema: unknown, value: unknown): void {
    this.#scrubber.add(value, findSecretFields(schema, value));
  }

  /** A value without what is secret of it. */
  hide(value: unknown): unknown {
    return this.#scrubber.scrub(value);
  }

  /** One message as it may be shown. */
  mask(text: string): { readonly label: string; readonly text: string } {
    const message = parse(text);
    if (message === undefined) return { label: 'not JSON', text: String(this.#scrubber.scrub(text)) };
    this.#look(message);
    return { label: toLabel(message), text: JSON.stringify(this.#scrubber.scrub(message)) };
  }

  /** A question says which fields of its answer are secret; the answer comes in a message of its own. */
  #look(value: unknown, depth = 0): void {
    if (value === null || typeof value !== 'object' || depth > MAX_DEPTH) return;
    if (isObject(value)) {
      if (isObject(value.requestedSchema)) this.#note(value.requestedSchema);
      if (isObject(value.content)) for (const schema of this.#asked.values()) this.learn(schema, value.content);
    }
    for (const member of Object.values(value)) this.#look(member, depth + 1);
  }

  #note(schema: object): void {
    const [oldest] = this.#asked.keys();
    if (this.#asked.size >= MAX_SCHEMAS && oldest !== undefined) this.#asked.delete(oldest);
    this.#asked.set(JSON.stringify(schema), schema);
  }
}

export function toWireMessage(mask: WireMask, direction: Direction, wire: { at: number; text: string }): WireMessage {
  const { label, text } = mask.mask(wire.text);
  return { at: wire.at, direction, label, text: cutText(text, MAX_TEXT), size: text.length };
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function toLabel({ method, id, error }: Readonly<Record<string, unknown>>): string {
  if (typeof method === 'string') return cutText(method, 100);
  const to = typeof id === 'string' || typeof id === 'number' ? cutText(String(id), 60) : '';
  return `${error === undefined ? 'result' : 'error'} ${to}`.trim();
}
