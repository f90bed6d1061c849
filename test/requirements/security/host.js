// @ts-check

const source = 'security';

/**
 * Security: what a hostile server or project directory can do to a host.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const hostSecurityRequirements = [
  { id: 'SEC-300', source, claim: 'taking up a call never runs what a stranger put into a directory above' },
  { id: 'SEC-301', source, claim: 'a file, plugin or ledger that others own or can write is not run, nor waited for' },
  {
    id: 'SEC-302',
    source,
    claim: 'a project file is run only after a yes, kept by path and hash; the home is own word',
  },
  { id: 'SEC-303', source, claim: 'relative paths are those of where a command was typed, or of its file' },
  {
    id: 'SEC-304',
    source,
    claim: 'a server that changed since the call is asked about; what was kept is run otherwise',
  },
  { id: 'SEC-305', source, claim: 'a ledger cannot make the user run what they have not said yes to' },
  { id: 'SEC-306', source, claim: 'a server that cannot be had keeps only its own calls pending' },
  { id: 'SEC-307', source, claim: 'what variables hold is in no file: neither in the ledger nor in what is trusted' },
  { id: 'SEC-308', source, claim: 'the question shows all that would be run, and anything but yes is a no' },
  { id: 'SEC-310', source, claim: 'a resumed call says which server it waits for' },
  { id: 'SEC-320', source, claim: 'a call whose answer is too large ends with its size; others on that line go on' },
  { id: 'SEC-321', source, claim: 'a line without end ends the call that waits for it, not the host' },
  { id: 'SEC-322', source, claim: 'a line or event that is too long and no answer is let go, and told' },
  { id: 'SEC-323', source, claim: 'a server that asks and does not read is answered to a limit' },
  { id: 'SEC-324', source, claim: 'an answer too deep to be kept ends its call with a name' },
  { id: 'SEC-325', source, claim: 'what is kept of updates is limited in size' },
  { id: 'SEC-326', source, claim: 'a server has a limited number of open questions' },
  { id: 'SEC-327', source, claim: 'an event without end, in one line or many, is cut' },
  { id: 'SEC-328', source, claim: 'a body over HTTP is limited, whatever it says of its length' },
  { id: 'SEC-329', source, claim: 'limits count what a body unpacks to' },
  { id: 'SEC-330', source, claim: 'of a refusal over HTTP only the reason is read' },
  { id: 'SEC-331', source, claim: 'a server cannot make its host open streams in a tight loop' },
  { id: 'SEC-520', source, claim: 'a result of whatever shape is shown, and taken' },
  { id: 'SEC-521', source, claim: 'a call that ended while nobody waited is shown, and none keeps back the others' },
  { id: 'SEC-523', source, claim: 'a server may ask for nothing that its host has not declared, whatever way it asks' },
  { id: 'SEC-524', source, claim: 'a server that ends each subscription at once is not asked in a tight loop' },
  { id: 'SEC-525', source, claim: 'a pipe in the place of a plugin is not waited for' },
  { id: 'SEC-527', source, claim: 'what others put beside a ledger is not taken for a part of it' },
  { id: 'SEC-528', source, claim: 'lists of calls do not show env and headers of servers' },
  { id: 'SEC-529', source, claim: 'who is asked about a plugin is shown what it would run' },
  { id: 'SEC-530', source, claim: 'a body over HTTP holds no more messages than a batch may have' },
  { id: 'SEC-531', source, claim: 'a message of very many members is let go before it is parsed, and its call told' },
  { id: 'SEC-340', source, claim: 'a stdio server sees the short list of variables, not the environment of its host' },
  { id: 'SEC-341', source, claim: 'what a spec names with env or passEnv reaches its server, and nothing beside it' },
];
