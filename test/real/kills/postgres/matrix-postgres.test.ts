import { describeInlineMatrix } from '../../../crash/inline-matrix.ts';
import { PostgresScratch } from '../../../store/postgres/scratch.ts';

const scratch = new PostgresScratch();

describeInlineMatrix('kill -9 of an engine on PostgreSQL', {
  toRow: () => '[PG-310]',
  allRow: '[PG-311]',
  toEnv: () => ({ HOLDFAST_TEST_URL: scratch.cluster.url(), HOLDFAST_TEST_SCHEMA: scratch.toSchema() }),
});
