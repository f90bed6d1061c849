// @ts-check
import { join } from 'node:path';
import { openSqliteStore } from 'holdfast';
import { openPostgresStore } from 'holdfast/postgres';

/**
 * The store of a test program: a file in its folder, or the database that its environment names. Its address is no argument,
 * because it holds a password.
 *
 * @param {string} folder
 */
export function openOwnStore(folder) {
  const { HOLDFAST_TEST_URL: url, HOLDFAST_TEST_SCHEMA: schema = '' } = process.env;
  return url ? openPostgresStore({ url, schema }) : openSqliteStore({ path: join(folder, 'tasks.db') });
}
