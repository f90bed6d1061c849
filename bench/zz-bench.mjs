import { openPostgresStore } from '/work/wt-postgres/dist/store/postgres/index.js';
import { openSqliteStore } from '/work/wt-postgres/dist/index.js';
import { makeTaskId } from '/work/wt-postgres/dist/task/id.js';
import pg from 'pg';
const url = process.env.URL_;
const worker = { workerId: 'w', identity: 'b', kind: 'inline', build: { id: 'b', at: 1 }, leaseMs: 600000, process: { host: 'h', pid: 1, startTime: 't' } };
const task = () => ({ taskId: makeTaskId(Date.now()), tool: 't', args: { a: 1 }, principal: 'local', identity: 'b', ttlMs: 60000, idempotent: true, maxAttempts: 3, deliver: [] });
async function cycle(store) {
  await store.tasks.create(task(), { queueLimit: 1e6 });
  const c = await store.tasks.claim({ worker: 'w', identity: 'b', free: { t: 1 }, max: 1 });
  for (const { task: { taskId, fence } } of c) await store.tasks.settle({ taskId, fence, worker: 'w' }, { outcome: { kind: 'result', value: { ok: 1 } }, ranMs: 5 });
}
async function measure(fn, conc, total) {
  const t = performance.now(); let left = total;
  await Promise.all(Array.from({ length: conc }, async () => { while (left-- > 0) await fn(); }));
  return Math.round(total / (performance.now() - t) * 1000);
}
const store = await openPostgresStore({ url, schema: 'bench_' + Date.now() });
await store.workers.register(worker);
// bare: same shape, one transaction per verb, 32 connections
const pool = new pg.Pool({ connectionString: url, max: 32 });
await pool.query(`DROP TABLE IF EXISTS bare_task; DROP TABLE IF EXISTS bare_event; CREATE TABLE bare_task (row bigserial primary key, id text unique, identity text, tool text, status text, fence int, attempt int, worker text, args text, outcome text, run_at bigint); CREATE INDEX ON bare_task (identity, tool, run_at) WHERE status='queued'; CREATE TABLE bare_event (task bigint, seq int, at bigint, type text, body text, primary key (task, seq))`);
async function tx(fn) { const c = await pool.connect(); try { await c.query('BEGIN'); const v = await fn(c); await c.query('COMMIT'); return v; } finally { c.release(); } }
async function bare() {
  await tx(async (c) => { const { rows: [r] } = await c.query({ name: 'i', text: `INSERT INTO bare_task (id, identity, tool, status, fence, attempt, args, run_at) VALUES ($1,'b','t','queued',0,0,$2,$3) RETURNING row`, values: [makeTaskId(Date.now()), '{"a":1}', Date.now()] }); await c.query({ name: 'e', text: `INSERT INTO bare_event VALUES ($1,1,$2,'submitted',null)`, values: [r.row, Date.now()] }); });
  const got = await tx(async (c) => { const { rows: [r] } = await c.query({ name: 'c', text: `UPDATE bare_task SET status='working', fence=fence+1, attempt=attempt+1, worker='w' WHERE row = (SELECT row FROM bare_task WHERE status='queued' AND identity='b' AND tool='t' ORDER BY run_at LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING row` }); if (r) await c.query({ name: 'e2', text: `INSERT INTO bare_event VALUES ($1,2,$2,'claimed','{}')`, values: [r.row, Date.now()] }); return r; });
  if (got) await tx(async (c) => { await c.query({ name: 's', text: `UPDATE bare_task SET status='completed', worker=null, outcome=$2 WHERE row=$1`, values: [got.row, '{"ok":1}'] }); await c.query({ name: 'e3', text: `INSERT INTO bare_event VALUES ($1,3,$2,'ended','{}')`, values: [got.row, Date.now()] }); });
}
await measure(() => cycle(store), 8, 50); await measure(bare, 8, 50);
for (let round = 0; round < 3; round++) for (const conc of [1, 32, 256]) {
  const n = conc === 1 ? 60 : 400;
  console.log(conc, 'store', await measure(() => cycle(store), conc, n), 'bare', await measure(bare, conc, n));
}
await store.close(); await pool.end();
