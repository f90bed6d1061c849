// @ts-check
/** Opens a store and prints what it finds there, or the error: `open-store.js <path> <options as JSON>`. */
import { createTaskClient, openSqliteStore } from 'holdfast';

const [path = '', options = '{}'] = process.argv.slice(2);

async function look() {
  const store = await openSqliteStore({ path, ...JSON.parse(options) });
  const { tasks } = await createTaskClient(store).list();
  await store.close();
  return { tools: tasks.map(({ tool }) => tool) };
}

/** @param {import('holdfast').TaskError} error */
const toShown = ({ code, message }) => ({ code, message });

process.stdout.write(JSON.stringify(await look().catch(toShown)));
