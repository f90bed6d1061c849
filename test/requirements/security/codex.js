// @ts-check

const source = 'security';

/**
 * Security: what a call, a file or a thread id can make Codex do.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const codexSecurityRequirements = [
  { id: 'SEC-150', source, claim: 'a working directory outside the roots is -32602, whatever field or link names it' },
  { id: 'SEC-151', source, claim: 'the owner adds roots with --root, several times, and with roots in the config' },
  {
    id: 'SEC-152',
    source,
    claim: 'the directory the server was started in is no root by itself when it holds the state, as a home does',
  },
  {
    id: 'SEC-153',
    source,
    claim: 'a working directory is judged again right before the run: one that became a link is not followed',
  },
  {
    id: 'SEC-154',
    source,
    claim: 'no run works where the store, the state, the config or the home of Codex lie, and no state where runs do',
  },
  {
    id: 'SEC-155',
    source,
    claim:
      'directories that every run may write to hold nothing that decides how Codex is run, and are no links in a root',
  },
  {
    id: 'SEC-156',
    source,
    claim: 'a state among temporary files is closed to runs: Codex is told to leave those out of the workspace',
  },
  { id: 'SEC-157', source, claim: 'a state or a config that another user of the machine can write is refused' },
  { id: 'SEC-160', source, claim: 'a thread id of a planted state is used only as a UUID, and behind --' },
  { id: 'SEC-161', source, claim: 'a planted state says neither where nor how Codex is run' },
  { id: 'SEC-162', source, claim: 'planted ids and fields of wrong types break nothing' },
  { id: 'SEC-163', source, claim: 'what Codex says is a thread only when it is a UUID' },
  { id: 'SEC-164', source, claim: 'no value of a config is taken for an option, and no path in it depends on a call' },
  {
    id: 'SEC-170',
    source,
    claim: 'relative entries of PATH are not looked for in the directory that a program is started in',
  },
  {
    id: 'SEC-171',
    source,
    claim: 'neither Codex nor what starts it takes code from a directory that runs can write to',
  },
  {
    id: 'SEC-180',
    source,
    claim: 'windows, logs, lists and threads are per principal; nobody stops the run of another',
  },
  { id: 'SEC-181', source, claim: 'the same task id of two principals does not meet in the state' },
  { id: 'SEC-182', source, claim: 'a call over HTTP names no place for data unless the owner gave roots for it' },
  {
    id: 'SEC-185',
    source,
    claim: 'a call of a host of UI apps without a task id is -32602 unless it asks for a stream; plain calls are held',
  },
  { id: 'SEC-186', source, claim: 'the stream of a run shows nothing of how we keep count' },
  { id: 'SEC-190', source, claim: 'a packed tarball holds every file that its README, documents and plugin name' },
  {
    id: 'SEC-546',
    source,
    claim:
      'Codex is not served from a store that another user of the machine can write, nor by a config that is no file',
  },
];
