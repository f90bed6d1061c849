/**
 * Keeps a worker from serving.
 *
 * A worker is the program run again, and a program that serves through a framework may listen without a word to us: it would
 * meet the port that is taken, and end. So in a worker the first try to listen on a port is where the program becomes the work
 * loop. It does not listen; nobody is called back. What tools do after that is theirs.
 */
import { Server } from 'node:net';

type Start = () => Promise<unknown>;

const starts = new Set<Start>();
let listen: typeof Server.prototype.listen | undefined;

/** Has this called when the program tries to listen on a port; for workers only. */
export function holdListen(start: Start): void {
  starts.add(start);
  if (listen) return;
  const original = Server.prototype.listen;
  listen = original;
  Server.prototype.listen = function (this: Server, ...args: unknown[]) {
    if (!isPort(args[0])) return Reflect.apply(original, this, args);
    for (const begin of starts) void begin();
    starts.clear();
    return this;
  };
}

/** The work loop has begun. */
export function letListen(): void {
  if (listen) Server.prototype.listen = listen;
  listen = undefined;
  starts.clear();
}

/** Pipes and handles are between programs that know each other, and no port that is taken. */
function isPort(where: unknown): boolean {
  if (typeof where === 'string') return /^\d+$/.test(where);
  if (where === null || typeof where !== 'object') return true;
  return 'port' in where && !('path' in where && where.path !== undefined);
}
