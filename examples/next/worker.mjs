// @ts-check
import { server } from './reports.mjs';

await server.start(); // the work loop; never returns
