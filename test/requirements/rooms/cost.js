// @ts-check

const source = 'rooms-and-words';

/**
 * What a process costs in which nothing happens.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const roomsCostRequirements = [
  { id: 'ROOMS-220', source, claim: 'a quiet store is asked for commits of others no more than every other second' },
  { id: 'ROOMS-221', source, claim: 'and hears of a commit at once all the same' },
  { id: 'ROOMS-222', source, claim: 'where the system does not tell of writes, it is asked often' },
  { id: 'ROOMS-229', source, claim: 'and a minute after the system had no watch to give, it is listened to again' },
  { id: 'ROOMS-223', source, claim: 'an engine with nothing to do sets no timer under a second' },
  { id: 'ROOMS-224', source, claim: 'nor does one beside a parked question' },
  { id: 'ROOMS-225', source, claim: 'what nobody waits for shares the commit of what comes next' },
  { id: 'ROOMS-227', source, claim: 'the heartbeat thread loads no file, however Node takes a text' },
  { id: 'ROOMS-228', source, claim: 'an outbox in which nothing lies is looked into once a minute' },
  { id: 'ROOMS-226', source, claim: 'a call does not wait for the end of an answered one to be on disk' },
];
