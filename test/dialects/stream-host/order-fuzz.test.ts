import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Notification } from '../../../src/dialects/host-port.ts';
import { followStream } from '../../../src/dialects/stream/host-follow.ts';
import type { StreamHandle } from '../../../src/dialects/stream/host-half.ts';
import { createFakePort, error } from '../fake-port.ts';
import { assistant, chunks, completed, done, event, whole } from './run-notices.ts';

const HANDLE: StreamHandle = { dialect: 'stream', rpcId: '7', tool: 'run', meta: {} };

/** A run: some events, a final text whole or in counted chunks, and both ways of saying that it is over. */
const run = fc
  .record({
    events: fc.integer({ min: 0, max: 12 }),
    texts: fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 6 }),
    isWhole: fc.boolean(),
    status: fc.constantFrom('completed', 'failed', 'aborted'),
  })
  .map(({ events, texts, isWhole, status }) => ({
    text: texts.join(''),
    status,
    notifications: [
      ...Array.from({ length: events }, (_, index) =>
        index % 3 ? event(index + 1) : assistant(index + 1, `s${index}`),
      ),
      ...(isWhole ? [whole(texts.join(''))] : chunks(texts)),
      done(status),
      completed(status),
    ],
  }));

/** The same notifications in any order, each at least once. */
const told = run.chain(({ notifications, ...about }) => {
  const twice = [...notifications, ...notifications];
  return fc
    .shuffledSubarray(twice, { minLength: 0, maxLength: twice.length })
    .chain((some) =>
      fc.shuffledSubarray([...notifications, ...some], { minLength: notifications.length + some.length }),
    )
    .map((order) => ({ ...about, order, notifications }));
});

it('[SHOST-05] any order and repetition of what is told of a run gives its outcome once, and its events once', async () => {
  await fc.assert(
    fc.asyncProperty(told, async ({ text, status, order, notifications }) => {
      const port = createFakePort(() => error(-32601));
      const following = followStream(HANDLE, port);
      for (const notification of order) port.tell(notification);
      await port.pass(2500);
      const outcome = await following;
      if (status === 'completed') {
        expect(outcome).toMatchObject({ kind: 'result', result: { content: [{ type: 'text', text }] } });
      } else if (status === 'failed') {
        expect(outcome).toMatchObject({ kind: 'error', error: { message: text } });
      } else {
        expect(outcome).toEqual({ kind: 'cancelled', reason: text });
      }
      const lines = port.updates.flatMap((update) => (update.type === 'text' ? [update.text] : []));
      expect(new Set(lines).size).toBe(lines.length);
      expect(lines).toEqual(toLines(notifications).filter((line) => lines.includes(line)));
    }),
    { numRuns: 300 },
  );
});

/** What is shown of a run in the order of its events. */
function toLines(notifications: readonly Notification[]): string[] {
  return notifications.flatMap(({ params }) => {
    const { event } = (params.event ?? {}) as { event?: { item?: { text: string } } };
    return params.event === undefined ? [] : [event?.item?.text ?? (params.text as string)];
  });
}
