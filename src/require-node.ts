/** Throws on import when Node is too old: it would fail later, with an incomprehensible error. */
import { findNodeFault } from './node-version.ts';

const fault = findNodeFault(process.versions.node);
if (fault !== undefined) {
  const error = new Error(fault);
  // The stack trace is useless here and hides the message.
  error.stack = `Error: ${fault}`;
  throw error;
}
