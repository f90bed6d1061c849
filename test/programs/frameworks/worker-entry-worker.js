// @ts-check
import { server } from './worker-entry-server.js';

await server.start();
