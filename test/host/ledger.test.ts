import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aesGcmCodec } from 'holdfast';
import { createMemoryLedger, type Ledger, type NewCall, openSqliteLedger, withLedgerCodec } from 'holdfast/host';
import { createFakeClock, type FakeClock } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

const LEDGERS: Record<string, (clock: FakeClock) => Promise<Ledger>> = {
  memory: async (clock) => createMemoryLedger({ clock }),
  async sqlite(clock) {
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-ledger-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    return openSqliteLedger({ path: join(dir, 'host.db'), clock });
  },
};

const codec = aesGcmCodec({ keys: [{ id: 'k1', key: randomBytes(32) }] });
for (const [name, open] of Object.entries(LEDGERS)) {
  LEDGERS[`${name} (encoded)`] = async (clock) => withLedgerCodec(await open(clock), { codec });
  LEDGERS[`${name} (sealed)`] = async (clock) => withLedgerCodec(await open(clock));
}

const DONE = { kind: 'result', result: { content: [] }, isError: false } as const;
const LOST = { kind: 'interrupted', reason: 'gone' } as const;
const HANDLE = { dialect: 'tasks-2026', taskId: 't', pollIntervalMs: 5 };

const toCall = (callId: string, more: Partial<NewCall> = {}): NewCall => ({
  callId,
  server: 's',
  tool: 't',
  args: { a: [1, { b: null }] },
  owner: 'me',
  createdAt: 1,
  ...more,
});

describe.each(Object.keys(LEDGERS))('the %s ledger', (name) => {
  async function open() {
    const clock = createFakeClock();
    const ledger = await (LEDGERS[name] as (clock: FakeClock) => Promise<Ledger>)(clock);
    onTestFinished(() => ledger.close());
    return { ledger, clock };
  }

  it('[HOST-15] gives a call back as it was written', async () => {
    const { ledger } = await open();
    const call = toCall('a', { sessionId: 'x', meta: { m: 1 }, deadlineAt: 5, handle: HANDLE });
    await ledger.create(call);
    expect(await ledger.get('a')).toEqual(call);
    expect(await ledger.get('b')).toBeUndefined();
  });

  it('[SEC-450] gives back what looks like a sealed payload as it was written', async () => {
    const { ledger } = await open();
    const args = { sealed: 'hf:enc:1.k1.AAAA', more: ['hf:secret:x', 'hf:part:{}'] };
    await ledger.create(toCall('a', { args, handle: { dialect: 'job', sealed: 'hf:text:x' } }));
    expect(await ledger.get('a')).toMatchObject({ args, handle: { dialect: 'job', sealed: 'hf:text:x' } });
  });

  it('[HOST-15] keeps the first outcome, and no handle after it', async () => {
    const { ledger, clock } = await open();
    await ledger.create(toCall('a'));
    expect(await ledger.setHandle('a', HANDLE)).toBe(true);
    expect(await ledger.settle('a', DONE)).toBe(true);
    expect(await ledger.settle('a', LOST)).toBe(false);
    expect(await ledger.setHandle('a', { dialect: 'job' })).toBe(false);
    expect(await ledger.get('a')).toMatchObject({ outcome: DONE, handle: HANDLE, endedAt: clock.now() });
  });

  it('[HOST-16] has an outcome acknowledged once, and not before there is one', async () => {
    const { ledger } = await open();
    await ledger.create(toCall('a'));
    expect(await ledger.ack('a')).toBe(false);
    await ledger.settle('a', DONE);
    expect(await Promise.all([ledger.ack('a'), ledger.ack('a')])).toEqual([true, false]);
    expect(await ledger.ack('b')).toBe(false);
  });

  it('[HOST-17] lets one process take over from another, and nobody once the call has ended', async () => {
    const { ledger } = await open();
    await ledger.create(toCall('a'));
    const [one, two] = await Promise.all([
      ledger.adopt('a', { from: 'me', to: 'x' }),
      ledger.adopt('a', { from: 'me', to: 'y' }),
    ]);
    expect([one, two]).toEqual([true, false]);
    await ledger.settle('a', DONE);
    expect(await ledger.adopt('a', { from: 'x', to: 'z' })).toBe(false);
  });

  it('[HOST-18] keeps the first answer to a question of a call', async () => {
    const { ledger } = await open();
    await ledger.create(toCall('a'));
    expect(await ledger.findAnswer('a', 'q')).toBeUndefined();
    expect(await ledger.answer('a', 'q', { action: 'accept' })).toEqual({ action: 'accept' });
    expect(await ledger.answer('a', 'q', { action: 'decline' })).toEqual({ action: 'accept' });
    expect(await ledger.findAnswer('a', 'q')).toEqual({ action: 'accept' });
    expect(await ledger.findAnswer('b', 'q')).toBeUndefined();
    await ledger.answer('a', 'p', { action: 'cancel' });
    await ledger.answer('b', 'q', {});
    expect(await ledger.answers('a')).toEqual([
      { key: 'p', answer: { action: 'cancel' } },
      { key: 'q', answer: { action: 'accept' } },
    ]);
  });

  it('[HOST-19] lists by server, session and acknowledgement, oldest first', async () => {
    const { ledger } = await open();
    for (const [id, server, sessionId] of [
      ['a', 's', 'x'],
      ['b', 's', 'y'],
      ['c', 'r', 'x'],
    ] as const) {
      await ledger.create(toCall(id, { server, sessionId }));
    }
    await ledger.settle('a', DONE);
    await ledger.ack('a');
    const ids = async (filter = {}) => (await ledger.list(filter)).map(({ callId }) => callId);
    expect(await ids()).toEqual(['a', 'b', 'c']);
    expect(await ids({ unacked: true })).toEqual(['b', 'c']);
    expect(await ids({ server: 's' })).toEqual(['a', 'b']);
    expect(await ids({ sessionId: 'x', unacked: true })).toEqual(['c']);
    expect(await ids({ limit: 1 })).toEqual(['a']);
  });

  it('[HOST-20] forgets acknowledged calls and their answers after a time, and no others', async () => {
    const { ledger, clock } = await open();
    const ids = Array.from({ length: 1201 }, (_, index) => `call-${index}`);
    const end = async (id: string) => {
      await ledger.create(toCall(id));
      await ledger.settle(id, DONE);
      await ledger.ack(id);
    };
    await Promise.all(ids.map(end));
    await ledger.create(toCall('open'));
    await ledger.answer('call-0', 'q', {});
    await clock.advance(10);
    expect(await ledger.sweep(clock.now() - 11)).toBe(0);
    expect(await ledger.sweep(clock.now())).toBe(1201);
    expect((await ledger.list()).map(({ callId }) => callId)).toEqual(['open']);
    expect(await ledger.findAnswer('call-0', 'q')).toBeUndefined();
  });
});
