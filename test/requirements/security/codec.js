// @ts-check

const source = 'security';

/**
 * Security: payloads at rest: codec, redaction, secrets.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const codecSecurityRequirements = [
  {
    id: 'SEC-450',
    source,
    claim:
      "a store and a ledger with a codec, with one of the owner's own or without one keep the whole contract; texts that look like sealed ones stay what they are",
  },
  {
    id: 'SEC-451',
    source,
    claim:
      'with a codec no argument, result, error, question, answer, step, event text or outbox message is found in the files of a store',
  },
  { id: 'SEC-452', source, claim: 'payloads from before a codec stay readable, and new ones are encoded' },
  {
    id: 'SEC-453',
    source,
    claim: 'an engine does not open a store whose keys are missing or wrong, names the key, and nothing is lost',
  },
  { id: 'SEC-454', source, claim: 'a worker that cannot read a task gives it back without spending an attempt' },
  { id: 'SEC-455', source, claim: 'a payload that was moved to another task, field or principal is refused' },
  { id: 'SEC-456', source, claim: "no text of a user's is taken for an encoded payload" },
  { id: 'SEC-457', source, claim: 'calls are recognised as equal by keyed marks, also after the key has changed' },
  { id: 'SEC-458', source, claim: 'detached and isolated workers use the codec of their program' },
  { id: 'SEC-460', source, claim: 'rekey gives every payload the key that writes and leaves alone what has it' },
  {
    id: 'SEC-461',
    source,
    claim: 'rekey encodes what lay in clear, and with --vacuum leaves nothing of it in the file',
  },
  {
    id: 'SEC-462',
    source,
    claim: 'rekey that is killed at any of its commits loses nothing, and the next run goes on',
  },
  { id: 'SEC-463', source, claim: 'rekey runs beside workers that have all keys' },
  { id: 'SEC-464', source, claim: 'rekey without a key that is needed names it and leaves those payloads as they are' },
  { id: 'SEC-465', source, claim: 'rekey does the same for a ledger' },
  {
    id: 'SEC-466',
    source,
    claim: 'the command line shows which key a payload needs, and with a key file shows and answers everything',
  },
  {
    id: 'SEC-467',
    source,
    claim: 'a key file that others may read or that holds no key is refused, and no key is ever printed',
  },
  { id: 'SEC-468', source, claim: 'keys and codecs that are none are refused by name' },
  {
    id: 'SEC-469',
    source,
    claim: 'with a codec no payload of a call is found in the ledger; without the key a host says which it needs',
  },
  {
    id: 'SEC-470',
    source,
    claim:
      'redact names fields at any depth, and JSON pointers with wildcards; what is too deep to look into is hidden',
  },
  { id: 'SEC-471', source, claim: 'redact rules that cannot be used are refused by name' },
  {
    id: 'SEC-472',
    source,
    claim:
      'redacted arguments reach the tool only: no listing, event, error text, fingerprint or file shows them, with a codec or without',
  },
  { id: 'SEC-473', source, claim: 'arguments of a tool with redact are not shown by a complaint about them' },
  { id: 'SEC-474', source, claim: 'the command line and the outbox see redacted arguments masked' },
  { id: 'SEC-475', source, claim: 'pointers of a server tool begin at its own arguments' },
  { id: 'SEC-476', source, claim: 'a host keeps and lists redacted arguments masked, and sends them whole' },
  {
    id: 'SEC-480',
    source,
    claim: 'format password, writeOnly and secret mark a field of an answer, wherever its schema says so',
  },
  {
    id: 'SEC-481',
    source,
    claim: 'a secret answer reaches the tool only: file, events, records and command line show a mask',
  },
  { id: 'SEC-482', source, claim: 'a secret answer that is given on the command line is sealed at once' },
  { id: 'SEC-483', source, claim: 'after kill -9 work is replayed with its secret answers' },
  {
    id: 'SEC-484',
    source,
    claim: 'the key beside a store is private, made once and whole, never followed through a link and never replaced',
  },
  {
    id: 'SEC-485',
    source,
    claim:
      'in both eras neither the ledger nor the store keeps a secret answer in clear, also one given before the task was made',
  },
  { id: 'SEC-486', source, claim: 'a host that takes up a call finds the secret answer that was given before' },
  {
    id: 'SEC-540',
    source,
    claim: "root, in a store of another user's, makes a key that its owner can read, and gives no other file away",
  },
  { id: 'SEC-542', source, claim: 'a secret answer is taken out of what its tool logs, streams, reports and throws' },
  { id: 'SEC-545', source, claim: 'with a codec the audit file holds no reason of a cancel in clear' },
  { id: 'SEC-547', source, claim: 'an engine says so when another user of the machine can write its store' },
];
