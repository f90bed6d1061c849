// @ts-check
/** What bundlers make one file of: tools that block, that need a process of their own, and one with a JSON Schema. */
import { createServer } from 'holdfast';
import { z } from 'zod';
import { addReportTool } from './report-tool.js';

const server = createServer({ name: 'bundled', version: '1.0.0', leaseMs: 1000, idleMs: 200 });
addReportTool(server);

server.tool('block', {
  input: z.object({ ms: z.number() }),
  run({ ms }) {
    // Without a turn of the event loop, and without work for the processor.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    return `blocked in ${process.pid}`;
  },
});

server.tool('apart', { isolate: true, run: () => `process ${process.pid}` });

server.tool('greet', {
  input: { type: 'object', properties: { name: { type: 'string', minLength: 2 } }, required: ['name'] },
  run: ({ name }) => `Hello, ${name}!`,
});

// Without `await`, which bundles in the form of CommonJS cannot have at the top.
server.listen({ port: Number(process.env.PORT), unprotected: true }).then(
  ({ url }) => console.log(url),
  (error) => {
    console.error(`${error.code}: ${error.message}`);
    process.exitCode = 74;
  },
);
