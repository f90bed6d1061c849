import { describe, expect, it } from 'vitest';
import { assignNames, findShownName } from '../../src/gateway/names.ts';

const names = (upstream: string, ...list: string[]) => ({ upstream, names: list });

describe('the names of several upstreams', () => {
  it('[GATE-110] are as they are, but for those that two have', () => {
    const table = assignNames({}, [names('a', 'read', 'search'), names('b', 'write', 'search')]);
    expect(Object.keys(table)).toEqual(['read', 'a_search', 'write', 'b_search']);
    expect(table.b_search).toEqual({ upstream: 'b', name: 'search' });
  });

  it('[GATE-110] stay what they were when another upstream comes with the same name, or its own goes away', () => {
    const first = assignNames({}, [names('a', 'search')]);
    const second = assignNames(first, [names('a', 'search'), names('b', 'search')]);
    expect(second).toEqual({
      search: { upstream: 'a', name: 'search' },
      b_search: { upstream: 'b', name: 'search' },
    });
    expect(assignNames(second, [names('b', 'search')])).toEqual(second);
    expect(findShownName(second, { upstream: 'b', name: 'search' })).toBe('b_search');
  });

  it('[GATE-110] never become one that somebody else has', () => {
    const table = assignNames({}, [names('a', 'b_search', 'search'), names('b', 'search')]);
    expect(table.b_search).toEqual({ upstream: 'a', name: 'b_search' });
    expect(table.b_search_2).toEqual({ upstream: 'b', name: 'search' });
    expect(assignNames({}, [names('a', 'task_wait')], (name) => name === 'task_wait')).toEqual({
      a_task_wait: { upstream: 'a', name: 'task_wait' },
    });
  });
});
