// @ts-check
/** Hosts as they are, played by the real programs. @type {readonly import('../requirements.js').Requirement[]} */
export const realHostRequirements = [
  {
    id: 'HOSTS-360',
    source: 'hosts',
    claim: 'A call that the real Codex gives up on and repeats runs once, and the repeat gets its result',
  },
  {
    id: 'HOSTS-361',
    source: 'hosts',
    claim: 'The real Codex is handed over before it gives up, and its model gets the result by waiting as it is told',
  },
  {
    id: 'HOSTS-362',
    source: 'hosts',
    claim:
      'A question that the real `codex exec` declines by itself is put to its model in words, and the answer counts',
  },
  {
    id: 'HOSTS-363',
    source: 'hosts',
    claim: 'Two entries of one program in the real Codex run each tool in the environment of its own entry',
  },
  {
    id: 'HOSTS-370',
    source: 'hosts',
    claim: 'The real opencode is kept waiting by progress beyond its time-out, and gets the result of one execution',
  },
  {
    id: 'HOSTS-371',
    source: 'hosts',
    claim:
      'The real opencode is handed over before it gives up, and the cancel it sends after each answer ends nothing',
  },
  {
    id: 'HOSTS-372',
    source: 'hosts',
    claim: 'A call that the real opencode gives up on and repeats runs once, and the repeat gets its result',
  },
  {
    id: 'HOSTS-373',
    source: 'hosts',
    claim: 'The real opencode, which cannot be asked, has questions put to its model in words, and the answer counts',
  },
  {
    id: 'HOSTS-374',
    source: 'hosts',
    claim: 'Two entries of one program in the real opencode run each tool in the environment of its own entry',
  },
  {
    id: 'HOSTS-375',
    source: 'hosts',
    claim:
      'A question that the real Inspector CLI cannot show can be answered elsewhere, and Inspector gets the result',
  },
  {
    id: 'HOSTS-376',
    source: 'hosts',
    claim: 'The real Inspector polls as it is told to, and is told to wait longer while a question is open',
  },
  {
    id: 'HOSTS-380',
    source: 'hosts',
    claim: 'Work that is announced a moment before it is due by the clock of its worker begins when it is due',
  },
  {
    id: 'HOSTS-381',
    source: 'hosts',
    claim:
      'Of several cancels of one call the first counts: a time-out that is followed by an abort is a call that was left',
  },
  {
    id: 'HOSTS-382',
    source: 'hosts',
    claim: 'An abort that comes after the answer does not put it in doubt: an equal call runs anew',
  },
  {
    id: 'HOSTS-383',
    source: 'hosts',
    claim: 'A time-out that comes after the answer puts it in doubt, whatever follows: an equal call gets it again',
  },
];
