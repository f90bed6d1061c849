// @ts-check

const source = 'security';

/**
 * Security: what a call may name under the file-log contract.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const fileLogSecurityRequirements = [
  { id: 'SEC-100', source, claim: 'a call names no file: the log and the task store have the names their owner gave' },
  { id: 'SEC-101', source, claim: 'no call makes the store, or a file beside it, a log' },
  { id: 'SEC-102', source, claim: 'the file-log contract holds only for tools whose owner switched it on' },
  {
    id: 'SEC-103',
    source,
    claim: 'a directory from a call lies in a root of the owner, also behind links; HTTP has no default roots',
  },
  { id: 'SEC-104', source, claim: 'every principal has a log of its own, and no two meet in one that both name' },
  { id: 'SEC-105', source, claim: 'a call names neither the directory of the store nor that of its logs' },
  { id: 'SEC-110', source, claim: 'a file is appended to only when it is empty or begins with an entry' },
  { id: 'SEC-111', source, claim: "a link, a second name, a pipe, a device or a stranger's file is no log" },
  {
    id: 'SEC-112',
    source,
    claim: 'another user of the machine neither silences a result nor has it written elsewhere',
  },
  {
    id: 'SEC-113',
    source,
    claim: 'what lies in the place of a lock or a rotated file is neither followed nor opened for ever',
  },
  { id: 'SEC-114', source, claim: 'a log that cannot be written is refused before the acknowledgement' },
  {
    id: 'SEC-120',
    source,
    claim: 'a state directory outside of the roots is refused before the acknowledgement, by name',
  },
  { id: 'SEC-121', source, claim: '--state-root says where calls may place the log' },
  { id: 'SEC-122', source, claim: 'a host tells an app that it starts where it keeps its state' },
  { id: 'SEC-123', source, claim: 'the task store is written although its directory was missing' },
  { id: 'SEC-124', source, claim: 'projectRoot and sessionRoot given to the host are sent' },
  {
    id: 'SEC-125',
    source,
    claim: 'the task store does not lag: many changes are one write, and a change is seen when it comes',
  },
  {
    id: 'SEC-126',
    source,
    claim: 'a log is not copied over while everything in it is new, and does not grow for ever',
  },
  { id: 'SEC-127', source, claim: 'a log that was renamed while the host was down is found' },
  { id: 'SEC-128', source, claim: 'explain names the wrong type, the wrong action and the corrupt line' },
  { id: 'SEC-129', source, claim: 'a wait that times out says what the log holds instead' },
  { id: 'SEC-130', source, claim: 'the logs that a server keeps itself are found from the command line' },
];
