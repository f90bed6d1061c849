import type { ProcessRef } from '../../process/process-ref.ts';

/** What a host passes to the keeper that it starts, on stdin: every user of the machine can read a command line. */
export interface KeeperOrder {
  /** The unique id of this keeper. */
  readonly keeper: string;
  readonly token: string;
  readonly note: string;
  readonly socket: string;
  /**
   * The server, whose pipes the keeper has inherited; absent when calls are sent over HTTP, each of which carries its own URL.
   */
  readonly server?: ProcessRef;
  /** The mark in the environment of the server and of every process it starts. */
  readonly mark: string;
  readonly maxAnswerBytes: number;
  /** The path of the ledger in which hosts find their calls. */
  readonly ledger: string;
  /** Whether the keeper writes responses to the ledger when no host is connected: some ledgers only a host can write. */
  readonly canWrite: boolean;
}
