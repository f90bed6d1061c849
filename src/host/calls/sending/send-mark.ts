/**
 * Tracks whether a call has certainly not been sent, and records that in the ledger.
 *
 * A call without a handle may have been sent by its previous owner. A call that waits for its server was not sent: that is
 * recorded when the wait begins, and revoked before the call is sent. So a call of a host that was killed while waiting can be
 * sent by the next host.
 */
import type { CallHandle, JsonObject } from '../../../dialects/host-port.ts';
import type { CallRecord, Ledger } from '../../ledger/contract.ts';

/** The `dialect` of the placeholder handle of a call that has no handle yet. */
const NONE = 'unsent';

/** Returns the handle that the call can be followed by; `undefined` when it has none yet. */
export function toUsableHandle(handle: CallHandle | undefined): CallHandle | undefined {
  return handle?.dialect === NONE ? undefined : handle;
}

/** Returns the record for display, without a placeholder handle that only names the keeper it would be sent through. */
export function withoutMark(record: CallRecord): CallRecord {
  const { handle, ...rest } = record;
  return handle && toUsableHandle(handle) === undefined && handle.isWaiting !== true ? rest : record;
}

/**
 * Returns the mark of a new call: the keeper it would be sent through, or that it waits because the keeper is not started yet.
 */
export function toUnsentMark(keeper: string | undefined, isToBeKept: boolean): JsonObject {
  if (keeper !== undefined) return { keeper };
  return isToBeKept ? { isWaiting: true } : {};
}

/** Makes the placeholder handle of a call that has no handle yet. */
export function toUnsentHandle(by: JsonObject): CallHandle {
  return { dialect: NONE, ...by };
}

/** Whether a handle was made before its call was sent and no response has acknowledged the call yet. */
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

  /** Whether the call was certainly not sent. */
  get isUnsent(): boolean {
    return this.#isUnsent;
  }

  /** The keeper through which the call may have been sent: if that keeper never had it, it was not sent. */
  get keeper(): string | undefined {
    return typeof this.#handle?.keeper === 'string' ? this.#handle.keeper : undefined;
  }

  /** Takes over the mark that the previous owner of the call wrote. */
  restore(handle: CallHandle | undefined): void {
    this.#handle = handle;
    this.#isUnsent = handle?.isWaiting === true && (toUsableHandle(handle) === undefined || isUnacked(handle));
  }

  /** Records that the call waits for its server; an attempt to send it did not arrive. */
  async recordWaiting(): Promise<void> {
    this.#isUnsent = true;
    await this.#write(true);
  }

  /** Records, before the call is sent, that from now on it may have arrived, through this keeper if there is one. */
  async recordSending(keeper: string | undefined): Promise<void> {
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
