import { describe, expect, it } from 'vitest';
import { FrameQueue } from '../../../src/server/stdio/frame-queue.ts';

function openQueue(error?: Error) {
  const writes: string[] = [];
  const queue = new FrameQueue({
    write(bytes, callback) {
      writes.push(bytes.toString());
      callback(error);
    },
  });
  const write = (text: string) =>
    new Promise<void>((resolve, reject) => {
      queue.write(Buffer.from(text), (failure) => (failure ? reject(failure) : resolve()));
    });
  return { queue, write, writes };
}

describe('frames', () => {
  it('[ROOMS-362] that are ready at the same moment leave in one write, in order and before anything else begins', async () => {
    const { write, writes } = openQueue();
    const seen: number[] = [];
    setImmediate(() => seen.push(writes.length));
    const first = write('a\n');
    const second = Promise.resolve().then(() => write('b\n'));
    await Promise.all([first, second, write('c\n')]);
    await new Promise(setImmediate);
    expect(writes).toEqual(['a\nc\nb\n']);
    expect(seen).toEqual([1]);
  });

  it('[ROOMS-362] that are long are not copied together', async () => {
    const { write, writes } = openQueue();
    const long = 'x'.repeat(60_000);
    await Promise.all([write('a\n'), write(long), write(long), write('b\n')]);
    expect(writes.join('')).toBe(`a\n${long}${long}b\n`);
    expect(writes).toHaveLength(2);
  });

  it('[ROOMS-362] all fail with the write that carried them', async () => {
    const { write } = openQueue(new Error('EPIPE'));
    const results = await Promise.allSettled([write('a\n'), write('b\n')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('[ROOMS-362] leave at once when the connection ends', () => {
    const { queue, write, writes } = openQueue();
    void write('a\n');
    queue.flush();
    expect(writes).toEqual(['a\n']);
  });
});
