// @ts-check
import { join } from 'node:path';
import { openSqliteStore } from 'holdfast';

/**
 * The store of a test program: a file in its folder, or the database that its environment names. Its address is no argument,
 * because it holds a password.
 *
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} [env]
 */
export async function openOwnStore(folder, env = process.env) {
  const { HOLDFAST_TEST_URL: url, HOLDFAST_TEST_SCHEMA: schema = '' } = env;
  if (!url) return openSqliteStore({ path: join(folder, 'tasks.db') });
  // Not every program is installed with what it stands on.
  const { openPostgresStore } = await import('holdfast/postgres');
  return openPostgresStore({ url, schema });
}
