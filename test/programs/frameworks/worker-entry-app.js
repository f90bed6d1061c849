// @ts-check
/** Something that cannot be run twice; its worker is a file of its own. */
import { createServer } from 'node:http';
import { isWorker } from 'holdfast';
import { server } from './worker-entry-server.js';

if (isWorker) throw new Error('this program is no worker');
const port = Number(process.env.PORT);
const http = createServer((request, response) => void server.node(request, response));
http.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/mcp`));
