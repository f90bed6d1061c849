/**
 * Reserves the process's stdout for frames: everything else written there goes to stderr.
 *
 * - `process.stdout.write` and all that uses it (`console.log`, pipes, worker threads) is redirected to stderr.
 * - `end`, `destroy`, `cork` and `uncork` do not affect frames.
 * - Code that saved the real `write` before the guard is caught one level lower, where only marked frames pass.
 *
 * It cannot catch writes to file descriptor 1 itself: `fs.writeSync(1, …)`, and children that inherit stdout.
 */
import { Writable } from 'node:stream';

type WriteCallback = (error?: Error | null) => void;

export interface StdoutGuard {
  /** Writes one frame to the real stdout; returns what `Writable.write` returns. */
  write(frame: string | Uint8Array, callback: WriteCallback): boolean;
  /** Restores stdout when the last guard is released. Releasing twice has no further effect. */
  release(): void;
}

const frames = new WeakSet<Uint8Array>();
let holders = 0;
let restore: (() => void) | undefined;

/** Guards stdout until the guard is released; concurrent guards share it. */
export function guardStdout(): StdoutGuard {
  if (holders === 0) restore = install(process.stdout);
  holders += 1;
  let isHeld = true;
  return {
    write(frame, callback) {
      const bytes = toBuffer(frame);
      frames.add(bytes);
      return Writable.prototype.write.call(process.stdout, bytes, 'utf8', callback);
    },
    release() {
      if (!isHeld) return;
      isHeld = false;
      holders -= 1;
      if (holders === 0) restore?.();
    },
  };
}

function install(stdout: NodeJS.WriteStream): () => void {
  // Writers get failures by callback. Without a listener, a host that stopped reading would crash the server, and so
  // would a late write after the release: so the listeners are never removed.
  for (const stream of [stdout, process.stderr]) {
    if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
  }
  const passFrame = stdout._write;
  const nothing = () => {};
  return replaceMethods(stdout, {
    write: (...args: unknown[]) => divert(stdout, args),
    end: (...args: unknown[]) => divertEnd(stdout, args),
    cork: nothing,
    uncork: nothing,
    destroy: () => stdout,
    destroySoon: nothing,
    _write(chunk: Uint8Array | string, encoding: BufferEncoding, callback: WriteCallback) {
      if (holders === 0 || (typeof chunk !== 'string' && frames.has(chunk))) {
        return passFrame.call(stdout, chunk, encoding, callback);
      }
      divert(stdout, [chunk, encoding]);
      callback();
    },
    // Makes the stream pass chunks one by one, each with its own mark.
    _writev: null,
  });
}

let isDraining = false;

function divert(stdout: NodeJS.WriteStream, args: readonly unknown[]): boolean {
  // The caller kept this function beyond the release.
  if (holders === 0) return Reflect.apply(Writable.prototype.write, stdout, args);
  const isRoomLeft: boolean = Reflect.apply(process.stderr.write, process.stderr, args);
  if (!isRoomLeft && !isDraining) {
    isDraining = true;
    process.stderr.once('drain', () => {
      isDraining = false;
      // The writer waits for 'drain' on stdout, to which it believes it has written.
      stdout.emit('drain');
    });
  }
  return isRoomLeft;
}

function divertEnd(stdout: NodeJS.WriteStream, args: readonly unknown[]): NodeJS.WriteStream {
  const callback = args.find((arg) => typeof arg === 'function');
  const rest = args.filter((arg) => typeof arg !== 'function' && arg !== undefined && arg !== null);
  if (rest.length > 0) divert(stdout, rest);
  if (callback) process.nextTick(callback);
  return stdout;
}

function replaceMethods(target: object, methods: { readonly [name: string]: unknown }): () => void {
  const before = Object.keys(methods).map((name) => [name, Object.getOwnPropertyDescriptor(target, name)] as const);
  for (const [name, value] of Object.entries(methods)) {
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
  }
  return () => {
    for (const [name, descriptor] of before) {
      // A wrapper that was put around ours in the meantime stays.
      if (Reflect.get(target, name) !== methods[name]) continue;
      if (descriptor) Object.defineProperty(target, name, descriptor);
      else Reflect.deleteProperty(target, name);
    }
  };
}

/** Always a Buffer: the stream would replace any other byte array, and lose the mark. */
function toBuffer(frame: string | Uint8Array): Buffer {
  if (typeof frame === 'string') return Buffer.from(frame);
  return Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
}

function ignore(): void {}
