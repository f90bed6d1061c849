import { copyFile, rename, writeFile } from 'node:fs/promises';
import { until } from 'holdfast/testing';
import { expect, it, onTestFinished } from 'vitest';
import { takeMark } from '../../../src/dialects/ui-prompts/log/log-mark.ts';
import { LogTail, ShownLines } from '../../../src/dialects/ui-prompts/log/log-tail.ts';
import { openLog, type TestLog, toResultLine } from './open-log.ts';

const GARBAGE = 'not json\n{"requestId":"r"\n';

async function openTail(log: TestLog, options: { readonly isFromEnd?: boolean } = {}) {
  const ids: string[] = [];
  let skipped = 0;
  const tail = new LogTail(log.path, {
    ...(options.isFromEnd && { mark: await takeMark(log.path) }),
    shown: new ShownLines(),
    intervalMs: 50,
    onEntry: ({ requestId }) => void ids.push(requestId),
    onSkipped: (count) => {
      skipped += count;
    },
  });
  onTestFinished(() => tail.close());
  const untilShown = (...wanted: string[]) => until(() => ids.join() === wanted.join(), { what: wanted.join() });
  return { ids, untilShown, untilSkipped: (count: number) => until(() => skipped === count, { what: 'garbage' }) };
}

it('[CLI-15] shows what is appended, from a log that is not there yet on', async () => {
  const log = await openLog();
  const tail = await openTail(log);
  await log.append(toResultLine('a', '1'));
  await tail.untilShown('a');
  await log.append(toResultLine('b', '1'), toResultLine('c', '1').trimEnd());
  await tail.untilShown('a', 'b', 'c');
  await log.append('\n', toResultLine('d', '1'));
  await tail.untilShown('a', 'b', 'c', 'd');
});

it('leaves out what lies before its mark', async () => {
  const log = await openLog();
  await log.append(toResultLine('old', '1'));
  const tail = await openTail(log, { isFromEnd: true });
  await log.append(toResultLine('new', '1'));
  await tail.untilShown('new');
});

it('[CLI-15] counts lines that are no entries', async () => {
  const log = await openLog();
  const tail = await openTail(log);
  await log.append(GARBAGE, toResultLine('a', '1'));
  await tail.untilSkipped(2);
  await tail.untilShown('a');
});

it('[CLI-15] follows a log that is rotated, several times between two looks, and shows what is carried over once', async () => {
  const log = await openLog();
  await log.append(toResultLine('a', '1'));
  const tail = await openTail(log);
  await tail.untilShown('a');
  await log.append(toResultLine('b', '1'));
  await rename(log.path, `${log.path}.1`);
  await writeFile(`${log.path}.2`, toResultLine('b', '1') + toResultLine('c', '1'));
  await writeFile(log.path, toResultLine('c', '1') + toResultLine('d', '1'));
  await until(() => tail.ids.includes('d'), { what: 'the newest' });
  expect([...tail.ids].sort()).toEqual(['a', 'b', 'c', 'd']);
});

it('[CLI-15] shows nothing twice when the log is rewritten or replaced', async () => {
  const log = await openLog();
  await log.append(toResultLine('a', '1'), toResultLine('b', '1'));
  const tail = await openTail(log);
  await tail.untilShown('a', 'b');
  await copyFile(log.path, `${log.path}.tmp`);
  await rename(`${log.path}.tmp`, log.path);
  await log.append(toResultLine('c', '1'));
  await tail.untilShown('a', 'b', 'c');
  await writeFile(log.path, toResultLine('b', '1') + toResultLine('d', '1'));
  await tail.untilShown('a', 'b', 'c', 'd');
});
