/**
 * A ledger whose payloads are sealed before each write and opened after each read.
 *
 * Arguments, `meta`, `origin`, handles, outcomes and answers are payloads. The dialect of a handle and how a call ended stay in
 * clear, as do the names of servers and tools.
 */
import { chain, type MaybePromise } from '../../codec/chain.ts';
import type { PayloadCodec } from '../../codec/codec.ts';
import { findLocalCodec } from '../../codec/local-codec.ts';
import { findRedacted, parseRedaction } from '../../codec/redaction.ts';
import { isSealed, Sealer, type Secrets } from '../../codec/sealer.ts';
import { findSecretFields } from '../../codec/secret-fields.ts';
import type { SecretTree } from '../../codec/secret-tree.ts';
import type { CallHandle, CallOutcome, JsonObject } from '../../dialects/host-port.ts';
import type { CallRecord, Ledger, NewCall } from './contract.ts';

/** How the payloads of a ledger are encoded and shown. */
export interface LedgerCodecOptions {
  /** Encodes all payloads. Without it they are stored in clear, except answers and arguments that are marked secret. */
  readonly codec?: PayloadCodec | undefined;
  /** Arguments that are sealed at rest and shown as `******`. */
  readonly redact?: readonly string[] | undefined;
  /**
   * What to do with an encoded payload whose key is missing: throw, or show a placeholder.
   *
   * @default an error with `STORE_KEY_MISSING`
   */
  readonly unreadable?: 'throw' | 'show';
  /** Whether records are read with their secrets revealed, which only a host that sends calls needs. @default 'mask' */
  readonly secrets?: Secrets;
}

/** A ledger that also accepts answers together with their question, whose schema says which fields are secret. */
export interface CodedLedger extends Ledger {
  answerTo(question: AskedQuestion, answer: JsonObject): Promise<JsonObject>;
}

/** The question that an answer belongs to. */
export interface AskedQuestion {
  readonly callId: string;
  readonly key: string;
  /** The schema of the answer, if it has one. */
  readonly schema: unknown;
}

const codings = new WeakMap<Ledger, { readonly inner: Ledger; readonly codec: PayloadCodec | undefined }>();

/** Returns the ledger with payloads encoded before they are written and decoded when they are read. */
export function withLedgerCodec(ledger: Ledger, options: LedgerCodecOptions = {}): CodedLedger {
  const before = codings.get(ledger);
  const inner = before?.inner ?? ledger;
  const redact = parseRedaction(options.redact);
  const { codec = before?.codec, unreadable = 'throw', secrets = 'mask' } = options;
  const parts = new CallParts(new Sealer({ codec, local: () => findLocalCodec(inner), unreadable }));
  const readAnswer = async (callId: string, key: string, kept: MaybePromise<JsonObject>) =>
    (await parts.open(await kept, toAnswerPlace(callId, key), 'reveal')) as JsonObject;
  const coded: CodedLedger = {
    ...(inner.directory !== undefined && { directory: inner.directory }),
    ...(inner.path !== undefined && { path: inner.path }),
    ...(inner.children && { children: inner.children }),
    create: async (call) => inner.create(await parts.sealRecord(call, redact && findRedacted(call.args, redact))),
    async setHandle(callId, handle) {
      const kept = await parts.seal(handle, toPlace(callId, 'handle'), {
        dialect: handle.dialect,
        // A session id is a credential.
        tree: handle.session === undefined ? undefined : SESSION,
      });
      return inner.setHandle(callId, kept as CallHandle);
    },
    adopt: (callId, owner) => inner.adopt(callId, owner),
    async settle(callId, outcome) {
      const kept = await parts.seal(outcome, toPlace(callId, 'outcome'), toShown('outcome', outcome));
      return inner.settle(callId, kept as CallOutcome);
    },
    ack: (callId) => inner.ack(callId),
    answer: (callId, key, answer) => coded.answerTo({ callId, key, schema: undefined }, answer),
    async answerTo({ callId, key, schema }, answer) {
      const content = findSecretFields(schema, answer.content);
      const tree = content && new Map([['content', content]]);
      const kept = await parts.seal(answer, toAnswerPlace(callId, key), { tree });
      return readAnswer(callId, key, inner.answer(callId, key, kept as JsonObject));
    },
    async findAnswer(callId, key) {
      const kept = await inner.findAnswer(callId, key);
      return kept && readAnswer(callId, key, kept);
    },
    async answers(callId) {
      const kept = await inner.answers(callId);
      const open = async ({ key, answer }: (typeof kept)[number]) => ({
        key,
        answer: (await parts.open(answer, toAnswerPlace(callId, key), 'mask')) as JsonObject,
      });
      return Promise.all(kept.map(open));
    },
    async get(callId) {
      const kept = await inner.get(callId);
      return kept && parts.openRecord(kept, secrets);
    },
    async list(filter) {
      return Promise.all((await inner.list(filter)).map((kept) => parts.openRecord(kept, secrets)));
    },
    sweep: (ackedBefore) => inner.sweep(ackedBefore),
    close: () => inner.close(),
  };
  codings.set(coded, { inner, codec });
  return coded;
}

const SESSION: SecretTree = new Map([['session', true]]);

/** The fields of a record that are payloads. */
export const PAYLOADS = ['args', 'meta', 'handle', 'outcome', 'origin'] as const;

type Fields = Readonly<Record<string, unknown>>;

interface Hiding {
  readonly tree?: SecretTree | undefined;
  readonly [shown: string]: unknown;
}

/** Seals and opens payloads of calls. */
export class CallParts {
  readonly #sealer: Sealer;

  constructor(sealer: Sealer) {
    this.#sealer = sealer;
  }

  /** An object stays an object: its sealed form is stored in `sealed`, beside the fields that are shown in clear. */
  seal(value: unknown, place: string, { tree, ...shown }: Hiding = {}): MaybePromise<unknown> {
    const needsEscape = value !== null && typeof value === 'object' && 'sealed' in value;
    const secret = tree ?? (needsEscape ? new Map() : undefined);
    const kept = this.#sealer.seal(value, place, secret);
    return chain(kept, (sealed) => (typeof sealed === 'string' ? { ...shown, sealed } : sealed));
  }

  open(kept: unknown, place: string, secrets: Secrets): MaybePromise<unknown> {
    const { sealed, ...shown } = (kept ?? {}) as Fields;
    if (typeof sealed !== 'string' || !isSealed(sealed)) return kept;
    return chain(this.#sealer.open(sealed, place, secrets), (value) =>
      typeof value === 'string' ? toStandIn(value, shown) : value,
    );
  }

  /** Encodes the payload again with the current key. */
  recode(kept: unknown, place: string, shown: Fields): MaybePromise<unknown> {
    const { sealed } = (kept ?? {}) as Fields;
    const isKept = typeof sealed === 'string' && isSealed(sealed);
    return chain(this.#sealer.recode(isKept ? sealed : kept, place), (mapped) => ({ ...shown, sealed: mapped }));
  }

  sealRecord(call: NewCall, tree: SecretTree | undefined): Promise<NewCall> {
    return this.#map(call, (value, field) => {
      const secret = field === 'args' ? tree : undefined;
      return this.seal(value, toPlace(call.callId, field), { ...toShown(field, value), tree: secret });
    });
  }

  openRecord(record: CallRecord, secrets: Secrets): Promise<CallRecord> {
    return this.#map(record, (value, field) => this.open(value, toPlace(record.callId, field), secrets));
  }

  async #map<R extends NewCall>(record: R, part: (value: unknown, field: string) => MaybePromise<unknown>): Promise<R> {
    const fields = record as unknown as Fields;
    const mapped: Record<string, unknown> = {};
    for (const field of PAYLOADS) {
      if (fields[field] !== undefined) mapped[field] = await part(fields[field], field);
    }
    return { ...record, ...mapped };
  }
}

/** The place of a payload, to which a codec binds its sealed form. */
export function toPlace(callId: string, field: string): string {
  return `call\n${callId}\n${field}`;
}

export function toAnswerPlace(callId: string, key: string): string {
  return toPlace(callId, `answer\n${key}`);
}

/** The fields that stay in clear: they show the state of a call, not its content. */
export function toShown(field: string, value: unknown): Fields {
  const { dialect, kind, isError } = value as Fields;
  if (field === 'handle') return { dialect };
  return field === 'outcome' ? { kind, ...(isError !== undefined && { isError }) } : {};
}

/** A placeholder for a payload that could not be opened, in a form that can be printed. */
function toStandIn(text: string, shown: Fields): Fields {
  if (shown.kind === undefined) return { ...shown, payload: text };
  return { ...shown, result: text, reason: text, error: { code: text, message: text } };
}
