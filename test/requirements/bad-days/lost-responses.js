// @ts-check

const source = 'bad-days';

/**
 * Bad days: a response that was lost is given again.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const lostResponsesBadDayRequirements = [
  {
    id: 'BAD-400',
    source,
    claim: 'a plain call whose response was cut gets the stored result when it is made again, marked with its age',
  },
  { id: 'BAD-401', source, claim: 'with random cuts every plain call runs once, in a row and at once, in both eras' },
  { id: 'BAD-402', source, claim: 'equal calls whose responses arrived run each, in a row and at once' },
  { id: 'BAD-403', source, claim: 'a lost response is given again for joinMs, counted from the first answer' },
  { id: 'BAD-404', source, claim: 'a call with a new idempotency key begins anew, whatever was lost' },
  { id: 'BAD-405', source, claim: 'a tool with joinMs 0, without join, or that only reads, runs again' },
  { id: 'BAD-406', source, claim: 'a result that may not have arrived is given to its own session only' },
  { id: 'BAD-407', source, claim: 'a request that is cancelled after its answer counts as not answered' },
  {
    id: 'BAD-408',
    source,
    claim: 'a server that is closed keeps the results of which it is not known whether they arrived',
  },
  { id: 'BAD-409', source, claim: 'behind two servers a lost response is given by the other one' },
  { id: 'BAD-410', source, claim: 'a client on stdio that is killed unread gets its result when it comes back' },
  { id: 'BAD-411', source, claim: 'equal calls on stdio run each, also by a client that ended politely and came back' },
  { id: 'BAD-412', source, claim: 'a response that is lost with its server is given by the next server' },
  {
    id: 'BAD-413',
    source,
    claim: 'what ended before its holder died is given within the grace time of its end, not later',
  },
  { id: 'BAD-414', source, claim: 'a call waits a moment for another process that learns whether its answer arrived' },
  { id: 'BAD-415', source, claim: 'options of joining that cannot be used are refused by name' },
  {
    id: 'BAD-416',
    source,
    claim: 'the end of a wait (left, handed over, in doubt, cancelled, given up) is tried until the store takes it',
  },
  { id: 'BAD-417', source, claim: 'a call whose end the store has not taken yet is joined by the same call at once' },
  { id: 'BAD-418', source, claim: 'an answer that was held back as unread is given later, and nothing runs again' },
  {
    id: 'BAD-419',
    source,
    claim: 'a caller that goes and comes again before its call is written joins it',
  },
  { id: 'BAD-421', source, claim: 'a caller that went and came again while the server stood still joins what it left' },
  { id: 'BAD-420', source, claim: 'a call waits a moment for another process that learns that its caller went' },
];
