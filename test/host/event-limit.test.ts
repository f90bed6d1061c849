import fc from 'fast-check';
import { expect, it } from 'vitest';
import { limitEvents } from '../../src/host/transports/event-limit.ts';

/** What comes out of a stream that came in these parts. */
async function pass(parts: readonly Uint8Array[], maxAnswerBytes: number): Promise<string> {
  const options = { maxAnswerBytes, findRequest: () => 7, report: () => {} };
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
  return new Response(stream.pipeThrough(limitEvents(options))).text();
}

const line = fc.constantFrom('data: {"a":1}', 'data: é\u{1F600}', ': note', 'id: 5', '');
const lines = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 20 });

it('[SEC-327] events within the limit come through as they are, whatever parts they come in and however lines end', async () => {
  await fc.assert(
    fc.asyncProperty(lines, fc.array(fc.nat(12)), async (given, sizes) => {
      const text = given.flat().join('');
      const bytes = Buffer.from(text);
      const parts: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; ) {
        const size = (sizes[parts.length % Math.max(1, sizes.length)] ?? 0) + 1;
        parts.push(bytes.subarray(at, at + size));
        at += size;
      }
      expect(await pass(parts, 1024)).toBe(text.replace(/\r\n?/g, '\n'));
    }),
  );
});

it('[SEC-327] one byte at a time is enough to see that an event is too large, whose it is, and what comes behind it', async () => {
  const large = `data: {"jsonrpc":"2.0","result":{"a":"${'x'.repeat(2000)}"},"id":5}\r\n\r\ndata: next\n\n`;
  const out = await pass(
    [...Buffer.from(large)].map((byte) => Uint8Array.of(byte)),
    1024,
  );
  const [first = '', next] = out.split('\n\n');
  expect(JSON.parse(first.slice('data: '.length))).toMatchObject({
    id: 5,
    error: { message: expect.stringContaining('2050 bytes; expected 1024') },
  });
  expect(next).toBe('data: next');
});

it('[SEC-327] what cannot be made out is taken for the answer of its stream', async () => {
  const out = await pass([Buffer.from(`data: "${'x'.repeat(5000)}\n\n`)], 1024);
  expect(out).toMatch(/^data: \{"jsonrpc":"2.0","id":7,"error"/);
});
