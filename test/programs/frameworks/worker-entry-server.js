// @ts-check
import { createServer } from 'holdfast';
import { addReportTool } from './report-tool.js';

export const server = createServer({
  name: 'worker-entry',
  version: '1.0.0',
  unprotected: true,
  workerEntry: new URL('./worker-entry-worker.js', import.meta.url),
});
addReportTool(server);
