// @ts-check

const source = 'bad-days';

/**
 * Bad days: a host reaches its calls after the server or the host itself was gone.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const hostBadDayRequirements = [
  {
    id: 'BAD-350',
    source,
    claim: 'whoever opens the ledger next ends the child processes of a killed host, and no daemon',
  },
  { id: 'BAD-351', source, claim: 'a child is found even when its host was killed before it could note the pid' },
  { id: 'BAD-352', source, claim: 'a note of a child that was never started goes' },
  { id: 'BAD-353', source, claim: 'children of a host that lives or is stopped are not touched' },
  { id: 'BAD-354', source, claim: 'a child is noted only for as long as it runs' },
  { id: 'BAD-360', source, claim: 'tasks that a server keeps by session come back after kill -9 of their host, once' },
  { id: 'BAD-361', source, claim: 'calls of one session are cancelled in it, and two hosts can be in it at once' },
  { id: 'BAD-362', source, claim: 'when the server refuses a session, its calls end honestly and others go on' },
  { id: 'BAD-363', source, claim: 'a call that was refused for its session was not sent, and is sent in a new one' },
  { id: 'BAD-364', source, claim: 'the id of a session is sealed, masked, and sent only to where it came from' },
  { id: 'BAD-370', source, claim: 'a call to a server that is away stays pending, says so, and is sent once' },
  {
    id: 'BAD-371',
    source,
    claim: 'a call that waits to be sent is sent by the next host; a command that ends is waited for',
  },
  { id: 'BAD-372', source, claim: 'after maxWaitMs an unsent call is CONNECT_FAILED, with how often it was tried' },
  { id: 'BAD-373', source, claim: 'a call that waits for its server ends at once when it is aborted' },
  { id: 'BAD-374', source, claim: 'a 503 is no delivery; a connection that a proxy lost may be one' },
  { id: 'BAD-375', source, claim: 'what does not pass by itself is not waited for' },
  {
    id: 'BAD-378',
    source,
    claim: 'a server that cannot use its store has refused nothing that it may have taken before: it is asked again',
  },
  {
    id: 'BAD-379',
    source,
    claim: 'an error that is the outcome of a task names it, so that its host takes it and does not ask again',
  },
  {
    id: 'BAD-380',
    source,
    claim: 'a step, question or program that the store does not take for a while costs time, not the task',
  },
];
