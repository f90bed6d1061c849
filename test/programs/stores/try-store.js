// @ts-check
/** Opens an engine on a store, runs one task and prints its outcome, or the error: `try-store.js <path>`. */
import { createEngine, openSqliteStore } from 'holdfast';

const [path = ''] = process.argv.slice(2);
try {
  const store = await openSqliteStore({ path });
  const engine = await createEngine({ name: 'try-store', store, tools: { any: { run: () => 'ran' } } });
  await engine.start();
  const { task } = await engine.submit('any');
  console.log(JSON.stringify(await engine.outcome(task.taskId)));
  await engine.close();
  await store.close();
} catch (error) {
  const { code, message } = /** @type {import('holdfast').TaskError} */ (error);
  console.log(JSON.stringify({ code, message }));
}
