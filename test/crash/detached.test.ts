import { share } from '../share.ts';
import { describeDetachedMatrix } from './detached-matrix.ts';

describeDetachedMatrix('with a detached worker, kill -9', {
  rows: { server: '[CRASH-11]', worker: '[CRASH-11] [CRASH-14]' },
  allRow: '[CRASH-15]',
  choose: (cases) => share(cases, { every: 3 }),
});
