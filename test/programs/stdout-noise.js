// @ts-check
// Writes frames to a guarded stdout, and in between does with it whatever else a program may do.
// The last line comes after the release.
import { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { guardStdout } from '../../dist/server/stdio/stdout-guard.js';

const ROUNDS = 20;
const early = process.stdout.write.bind(process.stdout);
const { stdout } = process;
const guard = guardStdout();

const noise = [
  () => console.log('log', { nested: [1, 2] }),
  () => console.info('info'),
  () => console.table([{ a: 1 }, { a: 2 }]),
  () => console.dir({ dir: true }),
  () => console.group('group'),
  () => console.groupEnd(),
  () => process.stdout.write('no newline'),
  () => process.stdout.write(Buffer.from('bytes\n')),
  () => process.stdout.write(new Uint8Array([0x7b, 0x0a])),
  () => process.stdout.write('68657820656e636f6465640a', 'hex'),
  () => new Promise((resolve) => process.stdout.write('with callback\n', resolve)),
  () => new Promise((resolve) => process.stdout.write('d2l0aCBib3RoCg==', 'base64', resolve)),
  () => process.stdout.cork(),
  () => process.stdout.uncork(),
  () => process.stdout.setDefaultEncoding('hex'),
  () => process.stdout.setDefaultEncoding('utf8'),
  () => early('taken early\n'),
  () => stdout.write('taken early as a stream\n'),
  () => new Promise((resolve) => process.stdout.end('the end\n', () => resolve(undefined))),
  () => process.stdout.end(),
  () => process.stdout.destroy(),
  pipe,
  writeFromThread,
];
/** @type {unknown[]} */
const slow = [pipe, writeFromThread];

for (let round = 0; round < ROUNDS; round += 1) {
  for (const [index, make] of noise.entries()) {
    if (round > 0 && slow.includes(make)) continue;
    // The frame is under way while the noise is made.
    const written = writeFrame({ round, index, text: 'x'.repeat(10_000) });
    await make();
    await written;
  }
}

// Nobody uncorks: frames must leave all the same.
process.stdout.cork();
await writeFrame({ done: true });
guard.release();
console.log('released');

/** @param {unknown} value */
function writeFrame(value) {
  return new Promise((resolve, reject) => {
    guard.write(`${JSON.stringify(value)}\n`, (error) => (error ? reject(error) : resolve(undefined)));
  });
}

/** More than stderr takes at once: the source has to be told when there is room again. */
function pipe() {
  const source = Readable.from(Array(100).fill('piped\n'.repeat(1000)));
  source.pipe(process.stdout);
  return new Promise((resolve) => source.on('end', resolve));
}

function writeFromThread() {
  const worker = new Worker('console.log("from a thread")', { eval: true });
  return new Promise((resolve) => worker.on('exit', resolve));
}
