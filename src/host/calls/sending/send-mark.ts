/**
 * Whether a call has certainly not been sent, and how the ledger says so.
 *
 * A call without a handle may have been sent by whoever had it before. One that waits for its server has not: that is
 * written down when the waiting begins, and taken back before it is sent. So a host that is killed meanwhile leaves a call
 * that the next one can send.
 */
import type { CallHandle, JsonObject } from '../../../dialects/host-port.ts';
import type { CallRecord, Ledger } from '../../ledger/contract.ts';

/** Stands for a handle until there is one. */
const NONE = 'unsent';

/** What a call is followed by; nothing when it has none yet. */
export function toKnown(handle: CallHandle | undefined): CallHandle | undefined {
  return handle?.dialect === NONE ? undefined : handle;
}

/** A record for whoever looks at it: what only says how it would be sent is no handle. */
export function withoutMark(record: CallRecord): CallRecord {
  const { handle, ...rest } = record;
  return handle && toKnown(handle) === undefined && handle.isWaiting !== true ? rest : record;
}

/** What a new call is marked with: the keeper by which it goes if it goes; or that it waits, while there is none yet. */
export function toUnsentBy(keeper: string | undefined, isToBeKept: boolean): JsonObject {
  if (keeper !== undefined) return { keeper };
  return isToBeKept ? { isWaiting: true } : {};
}

/** Says that a call has no handle yet. */
export function toUnsentHandle(by: JsonObject): CallHandle {
  return { dialect: NONE, ...by };
}

/** Whether a handle was made before its call was sent, and no answer has acknowledged the call yet. */
export function isUnacked(handle: CallHandle | undefined): boolean {
  return handle?.isAcked === false;
}

export class SendMark {
  readonly #ledger: Ledger;
  readonly #callId: string;
  #handle: CallHandle | undefined;
  #isUnsent: boolean;

  constructor(ledger: Ledger, record: CallRecord, isResumed: boolean) {
    this.#ledger = ledger;
    this.#callId = record.callId;
    this.#handle = record.handle;
    this.#isUnsent = !isResumed;
  }

  /** It has certainly not been sent. */
  get isUnsent(): boolean {
    return this.#isUnsent;
  }

  /** The keeper through which it may have been sent: if that one never had it, it was not. */
  get keeper(): string | undefined {
    return typeof this.#handle?.keeper === 'string' ? this.#handle.keeper : undefined;
  }

  /** What the one who had the call before wrote down. */
  take(handle: CallHandle | undefined): void {
    this.#handle = handle;
    this.#isUnsent = handle?.isWaiting === true && (toKnown(handle) === undefined || isUnacked(handle));
  }

  /** It waits for its server, and did not arrive there if it was tried. */
  async waits(): Promise<void> {
    this.#isUnsent = true;
    await this.#write(true);
  }

  /** From now on it may have arrived, through this keeper if there is one. */
  async goes(keeper: string | undefined): Promise<void> {
    if (this.#handle?.isWaiting === true || this.keeper !== keeper) await this.#write(false, keeper);
    this.#isUnsent = false;
  }

  async #write(isWaiting: boolean, by = this.keeper): Promise<void> {
    if (this.#handle?.isWaiting === isWaiting && by === this.keeper) return;
    const { keeper: _, ...rest } = this.#handle ?? { dialect: NONE };
    const handle: CallHandle = { ...(rest as CallHandle), isWaiting, ...(by !== undefined && { keeper: by }) };
    await this.#ledger.setHandle(this.#callId, handle);
    this.#handle = handle;
  }
}
