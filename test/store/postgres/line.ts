/** A line to PostgreSQL that can be cut, and that loses answers to COMMIT. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** The simple query that ends every transaction of a store, and the end of its answer. */
const COMMIT = Buffer.from('COMMIT\0');

export interface Line {
  readonly port: number;
  /** Ends all connections there are. */
  drop(): number;
  /** Nothing comes through any more, and nobody is told. */
  cut(): void;
  mend(): void;
  /** New connections lead there from now on; those there are end. */
  lead(port: number): void;
  /** Loses the answer to every n-th COMMIT, and the connection with it; 0 loses none. */
  loseCommits(everyNth: number): void;
  /** Cuts the line before the next COMMIT, which does not reach the server any more. Resolves then. */
  cutBeforeCommit(): Promise<void>;
  /** How many parts have gone to the server. */
  readonly sent: number;
  /** How many were lost. */
  readonly lost: number;
}

/** `change` is what becomes of each part of what the server says. */
export async function openLine(port: number, change = (part: Buffer) => part): Promise<Line> {
  const sockets = new Set<Socket>();
  const state = { port, isCut: false, everyNth: 0, commits: 0, lost: 0, sent: 0 };
  let onCommit: (() => void) | undefined;
  const server = createServer((client) => {
    const upstream = connect(state.port, '127.0.0.1');
    let isLost = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (part) => {
      if (onCommit && part.includes(COMMIT)) {
        state.isCut = true;
        onCommit();
        onCommit = undefined;
      }
      if (state.isCut) return;
      if (state.everyNth > 0 && part.includes(COMMIT)) {
        state.commits += 1;
        isLost = state.commits % state.everyNth === 0;
      }
      state.sent += 1;
      upstream.write(part);
    });
    upstream.on('data', (part) => {
      if (state.isCut) return;
      if (!isLost) {
        client.write(change(part));
        return;
      }
      // What was sent before it may be answered one by one.
      if (!part.includes(COMMIT)) return;
      state.lost += 1;
      client.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as { port: number }).port,
    get sent() {
      return state.sent;
    },
    get lost() {
      return state.lost;
    },
    drop() {
      const many = sockets.size / 2;
      for (const socket of sockets) socket.destroy();
      return many;
    },
    cut() {
      state.isCut = true;
    },
    mend() {
      state.isCut = false;
      for (const socket of sockets) socket.destroy();
    },
    lead(to) {
      state.port = to;
      for (const socket of sockets) socket.destroy();
    },
    cutBeforeCommit: () =>
      new Promise((resolve) => {
        onCommit = resolve;
      }),
    loseCommits(everyNth) {
      state.everyNth = everyNth;
    },
  };
}
