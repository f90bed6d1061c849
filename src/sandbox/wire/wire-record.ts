/** Messages for display on the page: masked, and limited in size and number. */
import { Scrubber } from '../../codec/redaction.ts';
import { findSecretFields } from '../../codec/secret-fields.ts';
import { isObject } from '../../is-object.ts';
import { cutText } from '../../text/cut-text.ts';
import type { Direction } from './tap-fetch.ts';

/** One message, as JSON with secrets masked. */
export interface WireMessage {
  /** Milliseconds since the start, on the clock of the client shown. */
  readonly at: number;
  readonly direction: Direction;
  /** The method, or the id of the request that is answered. */
  readonly label: string;
  readonly text: string;
  /** Length of the whole text, in characters. */
  readonly size: number;
}

const MAX_TEXT = 8000;
const MAX_DEPTH = 12;
const MAX_SCHEMAS = 20;
const RUN = { first: 250, last: 250 };

/** Keeps the first and the newest items of many. */
export class HeadTailBuffer<T> {
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

  get items(): readonly T[] {
    return [...this.#first, ...this.#last];
  }

  /** How many items were dropped between the first and the newest. */
  get dropped(): number {
    return this.#count - this.#first.length - this.#last.length;
  }
}

/** Collects values that schemas mark as secret, in arguments and in answers, and masks them wherever they appear later. */
export class WireMask {
  readonly #scrubber = new Scrubber();
  readonly #asked = new Map<string, unknown>();

  /** From now on masks the values in the fields that this schema marks as secret. */
  learn(schema: unknown, value: unknown): void {
    this.#scrubber.add(value, findSecretFields(schema, value));
  }

  /** Returns a value with its secrets masked. */
  hide(value: unknown): unknown {
    return this.#scrubber.scrub(value);
  }

  /** Returns one message with secrets masked. */
  mask(text: string): { readonly label: string; readonly text: string } {
    const message = parse(text);
    if (message === undefined) return { label: 'not JSON', text: String(this.#scrubber.scrub(text)) };
    this.#findSecrets(message);
    return { label: toLabel(message), text: JSON.stringify(this.#scrubber.scrub(message)) };
  }

  /** A question's schema says which fields of its answer are secret; the answer arrives in a separate message. */
  #findSecrets(value: unknown, depth = 0): void {
    if (value === null || typeof value !== 'object' || depth > MAX_DEPTH) return;
    if (isObject(value)) {
      if (isObject(value.requestedSchema)) this.#addSchema(value.requestedSchema);
      if (isObject(value.content)) for (const schema of this.#asked.values()) this.learn(schema, value.content);
    }
    for (const member of Object.values(value)) this.#findSecrets(member, depth + 1);
  }

  #addSchema(schema: object): void {
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
