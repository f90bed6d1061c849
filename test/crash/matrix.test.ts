import { share } from '../share.ts';
import { describeInlineMatrix } from './inline-matrix.ts';

const ROWS = {
  submit: '[CRASH-01]',
  claim: '[CRASH-02]',
  progress: '[CRASH-03]',
  step: '[CRASH-03]',
  ask: '[CRASH-04]',
  answer: '[CRASH-05]',
  park: '[CRASH-06]',
  settle: '[CRASH-07] [CRASH-12]',
  retry: '[CRASH-07]',
  'outbox-take': '[CRASH-08]',
  'outbox-postpone': '[CRASH-08]',
  'outbox-done': '[CRASH-08]',
  cancel: '[CRASH-09]',
  sweep: '[CRASH-10]',
  'worker-register': '[CRASH-11]',
  'worker-track': '[CRASH-14]',
  'worker-untrack': '[CRASH-14]',
  'hand-back': '[CRASH-11]',
  'worker-retire': '[CRASH-11]',
  'program-announce': '[CRASH-11]',
  'program-leave': '[CRASH-11]',
  'of another': '[CRASH-11]',
} as const;

describeInlineMatrix('kill -9 of an engine', {
  toRow: (write) => ROWS[write],
  allRow: '[CRASH-15] [CRASH-16]',
  choose: (cases) => share(cases, { every: 3 }),
});
