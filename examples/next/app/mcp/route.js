// @ts-check
import { server } from '../../reports.mjs';

/** @param {Request} request */
const serve = (request) => server.fetch(request);

export { serve as DELETE, serve as GET, serve as POST };
