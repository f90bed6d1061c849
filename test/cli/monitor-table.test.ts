import { expect, it } from 'vitest';
import { toMonitorTable } from '../../src/cli/commands/monitor/monitor-table.ts';

it('[FIRST-513] an answer of the monitor is a table with a line for each value', () => {
  const decisions = [
    { symbol: '+', message: 'in include_paths' },
    { symbol: '-', message: 'does not exist' },
  ];
  const data = { is_monitored: false, decisions, record: null, last_sync: { outcome: 'done' }, dirs: { '/a_b': 2.5 } };
  expect(toMonitorTable({ ...data, exclude_globs: [], names: ['a', 'b\u001b[2J'] })).toEqual([
    'FIELD              VALUE',
    'is monitored       false',
    'decisions          + in include_paths',
    '                   - does not exist',
    'record             none',
    'last sync outcome  done',
    'dirs /a_b          2.5',
    'exclude globs      none',
    'names              a',
    '                   b\\u001b[2J',
  ]);
});
