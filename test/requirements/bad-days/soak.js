// @ts-check

const source = 'seed 003 §Verification 4, 5';

/**
 * Bad days: soak and closure campaigns on any server.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const soakBadDayRequirements = [
  { id: 'BAD-500', source, claim: 'a percentile is interpolated at rank p·(n − 1); a summary of nothing is all zeros' },
  { id: 'BAD-501', source, claim: 'a report is written whole or not at all, and a place that takes none is named' },
  { id: 'BAD-502', source, claim: 'a plot shows every series and every mark on one time axis, and no peak is lost' },
  { id: 'BAD-503', source, claim: 'names that others chose cannot change the Markdown or the SVG of a report' },
  {
    id: 'BAD-504',
    source,
    claim:
      'a soak runs against any MCP server over lines, frames and HTTP, with the -32002 probe, a malformed frame and a killed server',
  },
  { id: 'BAD-505', source, claim: 'a soak can demand that every call fails, with one and the same code' },
  {
    id: 'BAD-506',
    source,
    claim:
      'a soak finds a server that loses a call, answers twice or wrongly, dies, does not bear what is no message, does not come back or does not speak the transport, each by its name',
  },
  {
    id: 'BAD-507',
    source,
    claim:
      'drift of latency, memory, descriptors and database over a soak is measured after the last kill and judged by a limit',
  },
  { id: 'BAD-508', source, claim: 'a soak that cannot begin is refused with what is expected: options, server, tool' },
  {
    id: 'BAD-509',
    source,
    claim: 'our own server passes a soak with a killed server and a killed worker, and a closure of two runs',
  },
  { id: 'BAD-510', source, claim: 'a campaign is closed by the criteria of the original, by their names' },
  { id: 'BAD-511', source, claim: 'a closure campaign stops at its streak, and its report tells all of it' },
  { id: 'BAD-512', source, claim: 'options of soak and closure have the names and the defaults of the original' },
  {
    id: 'BAD-513',
    source,
    claim: 'options reach the server as the variables of the original, and no others of ours do',
  },
  {
    id: 'BAD-514',
    source,
    claim: 'exit codes: 0 passed, 2 not passed, 130 interrupted, with a report and no server left',
  },
  {
    id: 'BAD-515',
    source,
    claim:
      'a closure of five runs in both eras over stdio and HTTP, with kills, is ready: streak 5, p95 within its limit',
  },
  { id: 'BAD-516', source, claim: 'memory, descriptors and database of our own server do not drift over a soak' },
];
