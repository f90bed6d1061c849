import { describeDetachedMatrix } from '../../../crash/detached-matrix.ts';
import { PostgresScratch } from '../../../store/postgres/scratch.ts';

const scratch = new PostgresScratch();

describeDetachedMatrix('on PostgreSQL with a detached worker, kill -9', {
  rows: { server: '[PG-312]', worker: '[PG-312]' },
  allRow: '[PG-312]',
  toEnv: () => ({ HOLDFAST_TEST_URL: scratch.cluster.url(), HOLDFAST_TEST_SCHEMA: scratch.toSchema() }),
});
