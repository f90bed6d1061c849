/** The options of `chaos`. */

export const CHAOS_OPTIONS = {
  seed: {
    type: 'string',
    value: 'N',
    help: 'Which faults, and when: the same number gives the same plan (default: any)',
  },
  seconds: { type: 'string', value: 'N', help: 'How long; or --minutes, or --hours (default: 60 seconds)' },
  minutes: { type: 'string', value: 'N', help: 'How long, in minutes' },
  hours: { type: 'string', value: 'N', help: 'How long, in hours' },
  plan: { type: 'string', value: 'FILE', help: 'Run this plan, such as one that failed, instead of made ones' },
  faults: { type: 'string', value: 'KINDS', help: 'Only faults of these kinds, with commas between: kill,stop,drop' },
  rate: { type: 'string', value: 'N', help: 'Faults in a second, on average (default 1.2)' },
  'no-shrink': { type: 'boolean', help: 'Do not run a plan that failed again to find the shortest that fails' },
} as const;

export const CHAOS_COMMANDS = {
  chaos: {
    summary:
      'Make faults of a seeded plan and judge what became of every call; or give the command of a server after --',
    positionals: [],
    options: [
      'seed',
      'seconds',
      'minutes',
      'hours',
      'plan',
      'faults',
      'rate',
      'no-shrink',
      'tool',
      'arguments',
      'report-dir',
      'json',
      'help',
    ],
  },
} as const;
