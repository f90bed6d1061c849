import type { ProcessRef } from '../../process/process-ref.ts';

/** What a keeper is told by the host that starts it, on its stdin: a command line is for all users of the machine to read. */
export interface KeeperOrder {
  /** The name of this keeper among all there ever were. */
  readonly keeper: string;
  readonly token: string;
  readonly note: string;
  readonly socket: string;
  /** The server, whose pipes the keeper has inherited; none when calls are sent over HTTP, each of which says where. */
  readonly server?: ProcessRef;
  /** In the environment of the server and of what it starts. */
  readonly mark: string;
  readonly maxAnswerBytes: number;
  /** Where hosts find their calls. */
  readonly ledger: string;
  /** Whether answers are written there when no host is there: some only a host can write. */
  readonly canWrite: boolean;
}
