// @ts-check
/** The Codex app with the real Codex and a stand-in for its model. @type {readonly import('./requirements.js').Requirement[]} */
export const codexRealRequirements = [
  {
    id: 'CREAL-01',
    source: 'codex',
    claim: 'A run of the real Codex executes a command and edits a file, and the host sees its events while it runs',
  },
  {
    id: 'CREAL-02',
    source: 'codex',
    claim: 'Without a word of the owner, Codex is run in the sandbox workspace-write, and stays in its workspace',
  },
  {
    id: 'CREAL-03',
    source: 'codex',
    claim:
      'The result of a run is delivered by every dialect: stream, both revisions of tasks, job, log of prompts, plain call',
  },
  { id: 'CREAL-04', source: 'codex', claim: 'The tests with the real Codex use no network but loopback' },
  {
    id: 'CREAL-05',
    source: 'codex',
    claim:
      'An abort in the middle of a command ends the whole process tree within 2 s, programs in other sessions included',
  },
  { id: 'CREAL-06', source: 'codex', claim: 'Two windows run at the same time, each in its own directory' },
  {
    id: 'CREAL-07',
    source: 'codex',
    claim: 'Two runs queued in one window go in order, and each call gets its own result',
  },
  { id: 'CREAL-08', source: 'codex', claim: 'The next run of a window resumes its thread' },
  {
    id: 'CREAL-09',
    source: 'codex',
    claim: 'A run whose worker and server were killed ends as interrupted, and nothing that Codex started is left',
  },
];
