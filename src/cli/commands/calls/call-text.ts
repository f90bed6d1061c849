import type { CallAnswer, CallOutcome, CallRecord } from '../../../host/index.ts';
import { toPlainText } from '../../../text/plain-text.ts';
import { toTimeText, toValueText } from '../../terminal/format.ts';
import type { Terminal } from '../../terminal/terminal.ts';

type Line = readonly [label: string, text: string];

/** Prints the whole record of one call. */
export function printCall(record: CallRecord, answers: readonly CallAnswer[], terminal: Terminal): void {
  for (const [label, text] of toLines(record, answers, terminal))
    terminal.print(`${label.padEnd(12)}${text}`.trimEnd());
}

/** The state of a call in a few words. */
export function toStatus({ outcome, handle, ackedAt }: CallRecord): string {
  if (outcome) return ackedAt === undefined ? outcome.kind : `${outcome.kind}, taken`;
  return handle ? `pending (${handle.dialect})` : 'pending';
}

function toLines(record: CallRecord, answers: readonly CallAnswer[], terminal: Terminal): Line[] {
  const { callId, server, tool, args, sessionId, meta, handle, outcome } = record;
  return [
    ['Call', callId],
    ['Server', toPlainText(server)],
    ['Tool', toPlainText(tool)],
    ['Arguments', toValueText(args, terminal)],
    ...toOptional('Session', sessionId),
    ...(meta ? ([['Meta', toValueText(meta, terminal)]] as const) : []),
    ['Status', toStatus(record)],
    ['Dialect', handle?.dialect ?? 'not known'],
    ...(handle ? ([['Handle', toValueText(handle, terminal)]] as const) : []),
    ...toTimes(record),
    ...answers.map(({ key, answer }) => ['Answer', `${toPlainText(key)} ${toValueText(answer, terminal)}`] as const),
    ...(outcome ? [toOutcome(outcome, terminal)] : []),
  ];
}

function toOptional(label: string, text: string | undefined): Line[] {
  return text === undefined ? [] : [[label, toPlainText(text)]];
}

function toTimes({ createdAt, deadlineAt, endedAt, ackedAt }: CallRecord): Line[] {
  const now = Date.now();
  const times = [
    ['Created', createdAt],
    ['Deadline', deadlineAt],
    ['Ended', endedAt],
    ['Taken', ackedAt],
  ] as const;
  return times.flatMap(([label, at]) => (at === undefined ? [] : [[label, toTimeText(at, now)] as const]));
}

function toOutcome(outcome: CallOutcome, terminal: Terminal): Line {
  switch (outcome.kind) {
    case 'result':
      return ['Outcome', `${outcome.isError ? 'result, failed' : 'result'} ${toValueText(outcome.result, terminal)}`];
    case 'error':
      return ['Outcome', `error ${toPlainText(`${outcome.error.code}: ${outcome.error.message}`)}`];
    case 'cancelled':
    case 'interrupted':
    case 'expired':
    case 'timed-out':
      return ['Outcome', `${outcome.kind}: ${toPlainText(outcome.reason)}`];
  }
}
