/** What a hostile server on stdio can do to the memory of its host, and to the calls beside it. */
import type { Host, HostOptions } from 'holdfast/host';
import { expect, it } from 'vitest';
import { collect, openDesk, textOf } from '../../host/open-host.ts';

const MAX = 1024 * 1024;

async function openHost(options: HostOptions = {}): Promise<Host & { readonly errors: unknown[] }> {
  const desk = await openDesk();
  const host = await desk.host({ maxAnswerBytes: MAX, ...options });
  await host.connect('hostile', desk.command('hostile-server'));
  return Object.assign(host, { errors: desk.errors });
}

const call = async (host: Host, tool: string, args = {}) => (await host.call('hostile', tool, args)).outcome();

it.each([true, false])(
  '[SEC-320] a call whose answer is too large ends with its size, and the next on that line goes on (id last: %s)',
  async (idLast) => {
    const host = await openHost();
    const [big, other] = await Promise.all([
      call(host, 'big', { bytes: 3 * MAX, idLast }),
      call(host, 'echo', { text: 'beside' }),
    ]);
    expect(big).toMatchObject({ kind: 'error', error: { code: 'RESULT_TOO_LARGE' } });
    const size = Number(/has (\d+) bytes; expected 1048576/.exec(JSON.stringify(big))?.[1]);
    expect(size - 3 * MAX).toBeGreaterThan(0);
    expect(size - 3 * MAX).toBeLessThan(200);
    expect(textOf(other)).toBe('beside');
    expect(textOf(await call(host, 'echo'))).toBe('here');
  },
);

it('[SEC-320] an answer as large as is expected comes whole, in however small parts', async () => {
  const host = await openHost();
  expect(textOf(await call(host, 'big', { bytes: MAX - 200 }))).toHaveLength(MAX - 200);
});

it('[SEC-321] a line without end ends the call that waits for it, and the server is started anew for the next', async () => {
  const host = await openHost();
  const outcome = await call(host, 'endless');
  expect(outcome).toMatchObject({ kind: 'error', error: { code: 'RESULT_TOO_LARGE' } });
  expect(JSON.stringify(outcome)).toContain('more than');
  expect(textOf(await call(host, 'echo'))).toBe('here');
});

it('[SEC-322] a long line that is no answer is let go and told, and no call is lost by it', async () => {
  const host = await openHost();
  expect(textOf(await call(host, 'noise', { bytes: 3 * MAX }))).toBe('after the noise');
  expect(host.errors).toEqual([expect.objectContaining({ code: 'RESULT_TOO_LARGE' })]);
});

it('[SEC-323] a server that asks and does not read is not answered without end', async () => {
  const host = await openHost();
  // As many as a pipe and its buffers hold are answered; the rest would be kept here.
  const answered = Number(textOf(await call(host, 'pings', { count: 10_000 })));
  expect(answered).toBeGreaterThan(0);
  expect(answered).toBeLessThan(5000);
});

it('[SEC-324] an answer that goes too deep ends its call with a name, and the next goes on', async () => {
  const host = await openHost();
  const deep = await call(host, 'deep', { depth: 200_000 });
  expect(deep).toMatchObject({ kind: 'error', error: { code: 'RESULT_NOT_SERIALIZABLE' } });
  expect(textOf(await call(host, 'echo'))).toBe('here');
});

it('[SEC-325] what is kept of updates for late readers has a limit in size, not only in number', async () => {
  const host = await openHost();
  const news = await host.call('hostile', 'news', { count: 100, bytes: MAX / 2 });
  await news.outcome();
  const updates = await collect(news.updates());
  const chars = updates.reduce((sum, update) => sum + JSON.stringify(update).length, 0);
  expect(chars).toBeLessThan(5 * MAX);
  expect(updates[0]).toMatchObject({ type: 'missed', count: expect.any(Number) });
  expect(updates.at(-1)).toMatchObject({ type: 'progress', value: 99 });
});

it('[SEC-326] a server puts a limited number of questions at a time; more are refused', async () => {
  const host = await openHost({ onQuestion: () => new Promise(() => {}) });
  expect(textOf(await call(host, 'ask', { count: 101 }))).toBe('refused 1');
});

it('[SEC-531] an answer of very many members ends its call with a name, before it is parsed; the next goes on', async () => {
  const host = await openHost();
  const wide = await call(host, 'wide', { count: 50_000, place: 'result' });
  expect(wide).toMatchObject({ kind: 'error', error: { code: 'RESULT_TOO_LARGE' } });
  expect(JSON.stringify(wide)).toContain('too many members');
  expect(textOf(await call(host, 'echo'))).toBe('here');
});

it.each(['params', 'meta', 'escaped meta', 'distant meta', 'form'])(
  '[SEC-531] a message of very many members that is no answer is let go and told: %s',
  async (place) => {
    const host = await openHost({ onQuestion: async () => ({ action: 'accept' }) });
    expect(textOf(await call(host, 'wide', { count: 50_000, place }))).toBe('after it');
    expect(host.errors).toEqual([expect.objectContaining({ code: 'RESULT_TOO_LARGE' })]);
  },
);
