import { describe, expect, it } from 'vitest';
import { findProfile, parseProfiles, withKnownProfiles } from '../../../src/server/clients/profiles.ts';

const KNOWN = withKnownProfiles();

describe('profiles', () => {
  it.each([
    ['claude-code', 300_000],
    ['Claude Code', 300_000],
    ['claude-ai', 60_000],
    ['codex-mcp-client', 300_000],
    ['github-copilot-developer', 180_000],
    ['gemini-cli-mcp-client', 600_000],
    ['Visual Studio Code', null],
  ])('[JOB-51] know %s, which gives up after %o ms', (name, giveUpMs) => {
    expect(findProfile(KNOWN, name).giveUpMs).toBe(giveUpMs);
  });

  it.each([undefined, '', 'my-own-client', 'codexa', 'zedlike'])(
    '[JOB-52] take %o for one that gives up after 60 s',
    (name) => {
      expect(findProfile(KNOWN, name)).toEqual({ giveUpMs: 60_000 });
    },
  );

  it('[JOB-53] of the owner come before the known ones, the most important first', () => {
    const table = withKnownProfiles({ codex: { giveUpMs: 1 } }, { codex: { giveUpMs: 2 }, Gemini: { giveUpMs: null } });
    expect(findProfile(table, 'codex-mcp-client').giveUpMs).toBe(1);
    expect(findProfile(table, 'gemini-cli').giveUpMs).toBeNull();
    expect(findProfile(table, 'qwen-code').giveUpMs).toBe(300_000);
  });

  it('[JOB-54] are matched in the order of the table', () => {
    const table = withKnownProfiles({ 'my client pro': { giveUpMs: 1 }, 'my client': { giveUpMs: 2 } });
    expect(findProfile(table, 'my-client-pro').giveUpMs).toBe(1);
    expect(findProfile(table, 'MyClient').giveUpMs).toBe(2);
  });

  it.each([
    [null, 'p is null; expected an object of profiles by client name'],
    [[], 'p is []; expected an object of profiles by client name'],
    [{ a: 5 }, 'p["a"] is 5; expected an object with giveUpMs'],
    [{ a: {} }, 'p["a"].giveUpMs is undefined; expected a number above 0, or null for never'],
    [{ a: { giveUpMs: '60' } }, 'p["a"].giveUpMs is "60"; expected a number above 0, or null for never'],
    [{ a: { giveUpMs: 0 } }, 'p["a"].giveUpMs is 0; expected a number above 0, or null for never'],
    [{ a: { giveUpMs: 1, jobs: 'yes' } }, 'p["a"].jobs is "yes"; expected true or false'],
    [
      { a: { giveUpMs: 1, job: true } },
      'p["a"].job is true; expected only giveUpMs, leaveReasons, progressResets, jobs, bareJobs, tasks2025, prefixesTools, headless, rediscovers',
    ],
  ])('[JOB-55] that are wrong are refused by name: %o', (value, message) => {
    expect(() => parseProfiles(value, 'p')).toThrow(message);
  });

  it.each([['dropped'], [{}], [['']], [[' ']], [[7]], [Array(21).fill('a')], [['a'.repeat(1001)]]])(
    '[HOSTS-284] whose reasons cannot be used are refused by name: %j',
    (leaveReasons) => {
      expect(() => parseProfiles({ a: { giveUpMs: 1, leaveReasons } }, 'p')).toThrow(
        '; expected a list of up to 20 texts of 1 to 1000 characters',
      );
    },
  );
});
