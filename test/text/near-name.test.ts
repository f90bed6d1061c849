import { describe, expect, it } from 'vitest';
import { findNearName } from '../../src/text/near-name.ts';

const KNOWN = ['workers', 'idempotent', 'ttlMs', 'retry', 'queue', 'run', 'outbox', 'onError'];

describe('a name that nobody knows', () => {
  it.each([
    ['worker', 'workers'],
    ['idempotnet', 'idempotent'],
    ['Idempotent', 'idempotent'],
    ['ttl', 'ttlMs'],
    ['retries', 'retry'],
    ['queu', 'queue'],
    ['onerror', 'onError'],
  ])('[FIRST-300] %s is taken for %s', (name, meant) => {
    expect(findNearName(name, KNOWN)).toBe(meant);
  });

  it.each(['colour', 'x', '', 'timeoutSeconds', 'ran away'])('[FIRST-300] %s is taken for nothing', (name) => {
    expect(findNearName(name, KNOWN)).toBeUndefined();
  });
});
