import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openJournal, readJournals, steadyNow } from '../../../src/apps/chaos/journal.ts';

function openDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-journal-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

it('[BAD-561] a journal keeps every whole line and leaves out the half one of a killed writer', () => {
  const dir = openDir();
  const journal = openJournal(dir, 'client');
  journal.write({ kind: 'refused', callId: 'a', code: 'X' });
  journal.close();
  appendFileSync(join(dir, `client-${process.pid}.jsonl`), '{"at":1,"kind":"ref');
  expect(readJournals(dir)).toMatchObject([{ kind: 'refused', callId: 'a', by: 'client', pid: process.pid }]);
});

it('[BAD-561] the journals of several processes are one, in the order of one steady clock', () => {
  const dir = openDir();
  const module = new URL('../../../dist/apps/chaos/journal.js', import.meta.url).href;
  const program = `import { openJournal } from ${JSON.stringify(module)};
    openJournal(process.argv[1], 'host').write({ kind: 'taken', callId: 'b' });`;
  const journal = openJournal(dir, 'client');
  journal.write({ kind: 'taken', callId: 'a' });
  execFileSync(process.execPath, ['--input-type=module', '-e', program, dir]);
  journal.write({ kind: 'taken', callId: 'c' });
  journal.close();
  expect(readJournals(dir).map((entry) => 'callId' in entry && entry.callId)).toEqual(['a', 'b', 'c']);
  expect(steadyNow()).toBeGreaterThan(readJournals(dir).at(-1)?.at ?? Number.POSITIVE_INFINITY);
});
