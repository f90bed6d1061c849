// @ts-check

/** @type {readonly import('../requirements.js').Requirement[]} */
export const crashRequirements = [
  { id: 'CRASH-01', source: 'foundation', claim: 'killed around submit: nothing acknowledged is lost' },
  { id: 'CRASH-02', source: 'foundation', claim: 'killed around claim: the task is claimed again' },
  { id: 'CRASH-03', source: 'foundation', claim: 'killed around progress: the work goes on or is interrupted' },
  { id: 'CRASH-04', source: 'foundation', claim: 'killed around ask: the question is asked once' },
  { id: 'CRASH-05', source: 'foundation', claim: 'killed around answer: an acknowledged answer is kept' },
  { id: 'CRASH-06', source: 'foundation', claim: 'killed around park: the question stays open and its answer is used' },
  { id: 'CRASH-07', source: 'foundation', claim: 'killed around settle: exactly one terminal state' },
  { id: 'CRASH-08', source: 'foundation', claim: 'killed around the outbox: every message is delivered, with one id' },
  { id: 'CRASH-09', source: 'foundation', claim: 'killed around cancel: an acknowledged cancel holds' },
  { id: 'CRASH-10', source: 'foundation', claim: 'killed around sweep: nothing unexpired is lost' },
  { id: 'CRASH-11', source: 'foundation', claim: 'killed around worker hand-over: another worker goes on' },
  { id: 'CRASH-12', source: 'foundation', claim: 'no side effect of a tool that may not be repeated happens twice' },
  { id: 'CRASH-13', source: 'foundation', claim: 'a paused and resumed old worker changes nothing' },
  { id: 'CRASH-14', source: 'foundation', claim: 'no process is left behind by a killed worker' },
  { id: 'CRASH-15', source: 'foundation', claim: 'every crash point there is stands in the matrix' },
  { id: 'CRASH-16', source: 'foundation', claim: 'crash points do nothing unless armed' },
];
