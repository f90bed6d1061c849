/** A suite is worth what it finds: stores that are broken in one place each, which the suite for one store cannot see. */
import { openPostgresStore, type PostgresPool } from 'holdfast/postgres';
import { describeSharedStore, type OpenTwo } from 'holdfast/testing';
import { Pool, type PoolClient } from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { PostgresScratch } from '../../store/postgres/scratch.ts';

const scratch = new PostgresScratch();
const pools: Pool[] = [];
afterAll(() => Promise.all(pools.map((pool) => pool.end())));

type Rewrite = (text: string) => string;

const CLAIM_WORKER_LOCK = /(SELECT state,[^;]+ FROM \w+\.worker WHERE id = \$1) FOR KEY SHARE/;
const TRACK_WORKER_LOCK = /(SELECT 1 FROM \w+\.worker WHERE id = \$1) FOR KEY SHARE/;
const NOTIFY = 'pg_notify($1, $2)';
const CLAIM_LOCK = /(AND NOT behind FOR UPDATE) SKIP LOCKED/;

const MUTANTS: Readonly<Record<string, { readonly rewrite: Rewrite; readonly what: RegExp }>> = {
  'claims without the lock of its worker': {
    rewrite: (text) => text.replace(CLAIM_WORKER_LOCK, '$1'),
    what: CLAIM_WORKER_LOCK,
  },
  'tracks programs without the lock of their worker': {
    // It takes its time, so that the other one comes between.
    rewrite: (text) => text.replace(TRACK_WORKER_LOCK, '$1 AND (SELECT pg_sleep(0.05)) IS NOT NULL'),
    what: TRACK_WORKER_LOCK,
  },
  'tells nobody of what it commits': {
    rewrite: (text) => text.replace(NOTIFY, '$1::text, $2::text'),
    what: /pg_notify\(\$1, \$2\)/,
  },
  'waits for tasks that others are at': {
    rewrite: (text) => text.replace(CLAIM_LOCK, '$1'),
    what: CLAIM_LOCK,
  },
};

/** A pool whose connections send something else than they are given. */
function openPool(rewrite: Rewrite): PostgresPool {
  const pool = new Pool({ connectionString: scratch.cluster.url(), max: 4, pipeline: true } as object);
  pool.on('error', () => {});
  pools.push(pool);
  return { connect: async () => rewriteQueries(await pool.connect(), rewrite), end: () => pool.end() } as PostgresPool;
}

function rewriteQueries(client: PoolClient, rewrite: Rewrite): PoolClient {
  return new Proxy(client, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== 'query') return value.bind(target);
      return (query: { readonly text: string }) => value.call(target, { ...query, text: rewrite(query.text) });
    },
  });
}

function openTwoWith(rewrite: Rewrite): OpenTwo {
  return async (clock) => {
    const schema = scratch.toSchema();
    const open = () => openPostgresStore({ pool: openPool(rewrite), schema, clock, onError: () => {} });
    return [await open(), await open(), scratch.toHoldTask(schema)];
  };
}

/** Runs the suite, one case after the other, and returns the title of the first that fails. */
async function findFailure(openTwo: OpenTwo): Promise<string | undefined> {
  const cases: { readonly title: string; readonly tell: () => unknown }[] = [];
  describeSharedStore('a mutant', openTwo, {
    describe: (_, define) => define(),
    it: (title, tell) => void cases.push({ title, tell }),
  });
  for (const { title, tell } of cases) {
    try {
      await tell();
    } catch {
      return title;
    }
  }
  return undefined;
}

describe('the contract of shared stores', () => {
  it('[PG-270] finds nothing in a store whose statements are sent as they are', async () => {
    expect(await findFailure(openTwoWith((text) => text))).toBe(undefined);
  });

  it.each(Object.entries(MUTANTS))('[PG-270] finds a store that %s', async (_, { rewrite, what }) => {
    let changed = 0;
    const failure = await findFailure(
      openTwoWith((text) => {
        if (what.test(text)) changed += 1;
        return rewrite(text);
      }),
    );
    expect(changed).toBeGreaterThan(0);
    expect(failure).toBeTypeOf('string');
  });
});
