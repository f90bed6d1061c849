// @ts-check
import { createEngine } from 'holdfast';
import { z } from 'zod';

const engine = await createEngine({
  name: 'reports',
  workers: 'detached', // the work goes on when this process ends
  tools: {
    render: {
      input: z.object({ pages: z.number() }), // calls are checked, by the compiler too
      idempotent: true, // may be run again after a crash
      async run({ pages }, task) {
        for (let page = 1; page <= pages; page++) {
          await task.step(`page ${page}`, () => `page ${page} as PDF`); // once stored, never again
          await task.progress(page / pages, `Page ${page} of ${pages}`);
        }
        const { publish } = await task.ask({ message: 'Publish it?', schema: z.object({ publish: z.boolean() }) });
        return publish ? 'published' : 'kept as a draft';
      },
    },
  },
});
await engine.start(); // in the worker this is the work loop, and never returns

const { task, created } = await engine.submit('render', { pages: 3 }, { idempotencyKey: 'report-2025' });
for await (const event of engine.watch(task.taskId)) {
  console.log(event.type, 'message' in event ? event.message : '');
  if (created && event.type === 'asked') {
    await engine.answer(task.taskId, { [event.key]: { action: 'accept', content: { publish: true } } });
  }
}
console.log(await engine.outcome(task.taskId));
await engine.close();
