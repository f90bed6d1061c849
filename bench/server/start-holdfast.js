// @ts-check
/** The server of `start.js`: what a user would write, with its store in the default place. */
import { createServer } from 'holdfast';
import { z } from 'zod';

const server = createServer({ name: 'bench', version: '1.0.0' });
server.tool('plain', { input: z.object({ ms: z.number() }), run: () => 'done' });
await server.serveStdio();
await server.close();
