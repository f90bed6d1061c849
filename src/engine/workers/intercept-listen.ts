/**
 * Keeps a worker from serving.
 *
 * A worker is the program run again, and a program that serves through a framework may listen on its port before it
 * starts the engine: the port is taken, and the worker would exit. So in a worker the first call to listen on a port is
 * where the program becomes the work loop. It does not listen, and no callback is called. After that, tools may listen as
 * they like.
 */
import { Server } from 'node:net';

type Start = () => Promise<unknown>;

const starts = new Set<Start>();
let listen: typeof Server.prototype.listen | undefined;

/** Calls `start` when the program tries to listen on a port; for workers only. */
export function interceptListen(start: Start): void {
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

/** Called when the work loop has started: restores `listen`. */
export function restoreListen(): void {
  if (listen) Server.prototype.listen = listen;
  listen = undefined;
  starts.clear();
}

/** Whether it is a port. Pipes and handles are agreed between programs, and are no port that is taken. */
function isPort(where: unknown): boolean {
  if (typeof where === 'string') return /^\d+$/.test(where);
  if (where === null || typeof where !== 'object') return true;
  return 'port' in where && !('path' in where && where.path !== undefined);
}
