import { Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isTaskError } from '../../../src/errors.ts';
import type { PostgresStoreOptions } from '../../../src/store/postgres/postgres-options.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { submit } from '../sqlite/scratch.ts';
import { PASSWORD } from './cluster.ts';
import { openLine } from './line.ts';
import { PostgresScratch } from './scratch.ts';

const scratch = new PostgresScratch();

/** What opening answers, with every text that could hold a password. */
async function refusal(options: unknown): Promise<{ code: string; message: string; all: string }> {
  try {
    const store = await openPostgresStore(options as PostgresStoreOptions);
    await store.close();
  } catch (error) {
    if (!isTaskError(error)) throw error;
    const texts = [error.message, error.stack, String(error.cause), JSON.stringify(error)];
    return { code: error.code, message: error.message, all: texts.join('\n') };
  }
  throw new Error('the store was opened');
}

async function admin(...statements: string[]): Promise<void> {
  const pool = new Pool({ connectionString: scratch.cluster.url(), max: 1 });
  try {
    for (const text of statements) await pool.query(text);
  } finally {
    await pool.end();
  }
}

/** The same bytes with one text for another that is as long. */
function replaceText(part: Buffer, from: string, to: string): Buffer {
  expect(to).toHaveLength(from.length);
  return Buffer.from(part.toString('latin1').replaceAll(from, to), 'latin1');
}

describe('a PostgreSQL store that cannot be opened says why, before anything is served', () => {
  it('[PG-130] for options that cannot be meant', async () => {
    const url = scratch.cluster.url();
    const wrong: [unknown, RegExp][] = [
      [{}, /needs a url or a pool/],
      [{ url, pool: new Pool() }, /one of the two/],
      [{ url: 'mysql://root:hush@here/db' }, /url is no address of a PostgreSQL database/],
      [{ url: 'postgres://user:hush@here' }, /url is no address/],
      [{ url: 7 }, /url is no address/],
      [{ url, schema: 'Not a name' }, /schema is "Not a name"; expected a name/],
      [{ url, schema: 'x; DROP TABLE y' }, /expected a name/],
      [{ url, schema: 'pg_catalog' }, /expected a name/],
      [{ url, prepare: 'yes' }, /prepare is "yes"; expected true or false/],
      [{ url, patienceMs: -1 }, /patienceMs is -1/],
      [{ url, shema: 'a' }, /shema/],
    ];
    for (const [options, message] of wrong) {
      const { code, message: said, all } = await refusal(options);
      expect([code, said]).toEqual(['INVALID_ARGUMENT', expect.stringMatching(message)]);
      expect(all).not.toContain('hush');
    }
  });

  it('[PG-131] for a wrong password, user or database, and repeats no password', async () => {
    const { port } = scratch.cluster;
    const at = (user: string, database: string) => `postgres://${user}@127.0.0.1:${port}/${database}`;
    const good = `owner:${encodeURIComponent(PASSWORD)}`;
    const cases = [
      [at('owner:wrong-hush', 'postgres'), 'STORE_NO_ACCESS', /the user or the password is wrong/],
      [at('nobody-here:wrong-hush', 'postgres'), 'STORE_NO_ACCESS', /the user or the password is wrong/],
      [at(good, 'no_such_database'), 'STORE_NOT_FOUND', /no such database; create it/],
    ] as const;
    for (const [url, code, message] of cases) {
      const refused = await refusal({ url });
      expect([refused.code, refused.message]).toEqual([code, expect.stringMatching(message)]);
      for (const secret of ['wrong-hush', PASSWORD, encodeURIComponent(PASSWORD)])
        expect(refused.all).not.toContain(secret);
    }
  });

  it('[PG-132] for a server that is not there', async () => {
    const refused = await refusal({ url: 'postgres://owner:hush@127.0.0.1:1/postgres' });
    expect(refused.code).toBe('CONNECT_FAILED');
    expect(refused.message).toMatch(
      /127\.0\.0\.1:1\/postgres .* cannot be reached \(ECONNREFUSED\); see whether it runs/,
    );
    expect(refused.all).not.toContain('hush');
  });

  it('[PG-133] for a server without TLS when the URL wants it', async () => {
    const refused = await refusal({ url: `${scratch.cluster.url()}?sslmode=require` });
    expect([refused.code, refused.message]).toEqual(['STORE_NO_ACCESS', expect.stringMatching(/TLS.*sslmode/)]);
  });

  it('[PG-134] for a user without the right to make the schema', async () => {
    const role = scratch.toSchema();
    await admin(`CREATE ROLE ${role} LOGIN PASSWORD 'x'`, 'REVOKE CREATE ON DATABASE postgres FROM PUBLIC');
    const url = `postgres://${role}:x@127.0.0.1:${scratch.cluster.port}/postgres`;
    const refused = await refusal({ url, schema: scratch.toSchema() });
    expect([refused.code, refused.message]).toEqual(['STORE_NO_ACCESS', expect.stringMatching(/lacks rights.*CREATE/)]);
  });

  it('[PG-135] for a schema of another program, or of a newer build', async () => {
    const url = scratch.cluster.url();
    const [foreign, similar, newer] = [scratch.toSchema(), scratch.toSchema(), scratch.toSchema()];
    await admin(`CREATE SCHEMA ${foreign}`, `CREATE TABLE ${foreign}.users (id int)`);
    await admin(`CREATE SCHEMA ${similar}`, `CREATE TABLE ${similar}.store (id int)`);
    await (await openPostgresStore({ url, schema: newer })).close();
    await admin(`UPDATE ${newer}.store SET version = 99`);
    expect(await refusal({ url, schema: foreign })).toMatchObject({ code: 'STORE_FOREIGN' });
    expect(await refusal({ url, schema: similar })).toMatchObject({ code: 'STORE_FOREIGN' });
    const refused = await refusal({ url, schema: newer });
    expect([refused.code, refused.message]).toEqual([
      'STORE_SCHEMA_NEWER',
      expect.stringMatching(/version 99.*upgrade Holdfast/),
    ]);
  });

  it('[PG-136] and one that a newer build migrates while it is open takes no more writes', async () => {
    const schema = scratch.toSchema();
    const store = await scratch.open({ schema });
    await admin(`UPDATE ${schema}.store SET version = 99`);
    await expect(store.holds.attend('task', 'me')).rejects.toMatchObject({ code: 'STORE_SCHEMA_NEWER' });
  });

  it('[PG-137] for missing tables when it may make none', async () => {
    const refused = await refusal({ url: scratch.cluster.url(), schema: scratch.toSchema(), migrate: false });
    expect(refused).toMatchObject({ code: 'STORE_SCHEMA_OLDER', message: expect.stringMatching(/migrate: true/) });
  });

  it('[PG-240] for a server that is too old, with its version', async () => {
    const { port } = scratch.cluster;
    const pool = new Pool({ connectionString: scratch.cluster.url(), max: 1 });
    const { rows } = await pool.query<{ number: string; name: string }>(
      `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS name`,
    );
    await pool.end();
    const { number = '', name = '' } = rows[0] ?? {};
    const said = name.replace(/^\d+/, '12');
    // All that is not true is what the server says of its version.
    const line = await openLine(port, (part) => replaceText(replaceText(part, number, '120022'), name, said));
    const refused = await refusal({ url: scratch.cluster.url().replace(`:${port}/`, `:${line.port}/`) });
    expect(refused).toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringContaining(`runs PostgreSQL ${said}`),
    });
    expect(refused.message).toContain('13 or newer is needed');
  });

  it('[PG-241] for a user who may not use the schema, or not write all of its tables', async () => {
    const [role, schema] = [scratch.toSchema(), scratch.toSchema()];
    await scratch.open({ schema });
    await admin(`CREATE ROLE ${role} LOGIN PASSWORD 'x'`);
    const url = `postgres://${role}:x@127.0.0.1:${scratch.cluster.port}/postgres`;
    expect(await refusal({ url, schema })).toMatchObject({ code: 'STORE_NO_ACCESS' });
    await admin(
      `GRANT USAGE ON SCHEMA ${schema} TO ${role}`,
      `GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role}`,
    );
    const refused = await refusal({ url, schema });
    expect([refused.code, refused.message]).toEqual([
      'STORE_NO_ACCESS',
      expect.stringMatching(/may not read and write .*GRANT SELECT, INSERT/),
    ]);
    const all = `IN SCHEMA ${schema} TO ${role}`;
    await admin(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES ${all}`, `GRANT ALL ON ALL SEQUENCES ${all}`);
    const store = await openPostgresStore({ url, schema });
    expect((await submit(store)).status).toBe('queued');
    await store.close();
  });

  it('[PG-242] for a store of another name', async () => {
    const [url, schema] = [scratch.cluster.url(), scratch.toSchema()];
    await scratch.open({ schema, name: 'reports' });
    await scratch.open({ schema, name: 'reports' });
    await scratch.open({ schema });
    const refused = await refusal({ url, schema, name: 'billing' });
    expect([refused.code, refused.message]).toEqual([
      'STORE_FOREIGN',
      expect.stringMatching(/is the store of "reports", not of "billing"/),
    ]);
    expect(await refusal({ url, schema, name: '' })).toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('[PG-138] any number of processes may open a fresh one at once', async () => {
    const schema = scratch.toSchema();
    const stores = await Promise.all(Array.from({ length: 6 }, () => scratch.open({ schema })));
    for (const store of stores) expect(await store.workers.list()).toEqual([]);
  });

  it('[PG-139] a pool of the user is used and stays open, and takes one connection for LISTEN', async () => {
    const pool = new Pool({ connectionString: scratch.cluster.url(), max: 3 });
    onTestFinished(() => pool.end());
    const store = await openPostgresStore({ pool, schema: scratch.toSchema() });
    store.changes.subscribe(() => {});
    await store.holds.attend('task', 'me');
    expect(pool.totalCount).toBeGreaterThan(0);
    expect(store.heartbeat).toBeUndefined();
    await store.close();
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });
});
