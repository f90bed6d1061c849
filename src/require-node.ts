/** Refuses to be loaded by a Node that is too old: it would fail somewhere later, with an error that nobody understands. */
import { findNodeFault } from './node-version.ts';

const fault = findNodeFault(process.versions.node);
if (fault !== undefined) {
  const error = new Error(fault);
  // Where it was thrown helps nobody, and hides the line that does.
  error.stack = `Error: ${fault}`;
  throw error;
}
