// @ts-check

const source = 'hosts';

/**
 * Hosts as they are: which program a task belongs to.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const identityHostsRequirements = [
  {
    id: 'HOSTS-100',
    source,
    claim: "a tool runs in the environment of its caller's server, never in that of another entry of the same program",
  },
  {
    id: 'HOSTS-101',
    source,
    claim: 'that holds for isolated attempts, and after a server was killed while its worker lives',
  },
  {
    id: 'HOSTS-102',
    source,
    claim: 'no value of the environment is in the store directory, in the names of its files or in what is printed',
  },
  {
    id: 'HOSTS-103',
    source,
    claim: 'what varies by terminal, shell, host and session makes no other program; the list is documented',
  },
  {
    id: 'HOSTS-104',
    source,
    claim: 'what a changed environment strands is told once at start, with the remedy, and marked by tasks list',
  },
  {
    id: 'HOSTS-105',
    source,
    claim: 'tasks adopt gives stranded tasks to the newest program of the name, which runs them',
  },
  {
    id: 'HOSTS-106',
    source,
    claim: "stranded tasks are taken over at once where the tool says environment: 'any', and with adopt: 'newest'",
  },
  { id: 'HOSTS-107', source, claim: 'nothing is adopted from a program that is served or has a living worker' },
  { id: 'HOSTS-108', source, claim: 'a changed command line is told and adopted by command, and not by the tool' },
  { id: 'HOSTS-109', source, claim: 'tasks of a tool that is not there any more are told at start and by tasks list' },
  {
    id: 'HOSTS-110',
    source,
    claim: 'of two that adopt the same tasks, one gets each',
    test: { file: 'src/testing/contract/programs.ts', title: 'of two that adopt the same tasks, one gets each' },
  },
  {
    id: 'HOSTS-111',
    source,
    claim: 'a task whose idempotency key or alias is in use by the other program is not adopted',
    test: {
      file: 'src/testing/contract/programs.ts',
      title: 'an adopted task keeps its key and alias; one whose key or alias is in use there is left alone',
    },
  },
  {
    id: 'HOSTS-112',
    source,
    claim: 'a held call is joined only by calls to its own program, and by the one that adopted it',
    test: {
      file: 'src/testing/contract/programs.ts',
      title: 'a held call is joined by calls of its own identity only, and of the new one once it is adopted',
    },
  },
  { id: 'HOSTS-113', source, claim: 'an adoption is kept in the events of the task and in the audit, with who did it' },
  { id: 'HOSTS-114', source, claim: 'an identity that is given counts alone, and no key is made for it' },
  { id: 'HOSTS-115', source, claim: 'options of adoption that are no such are refused, with what is expected' },
  { id: 'HOSTS-116', source, claim: 'tasks that an earlier version left under the old identity are told as stranded' },
];
