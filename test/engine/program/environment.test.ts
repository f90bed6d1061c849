import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { countsAsIdentity, hashEnvironment, VARYING } from '../../../src/engine/program/environment.ts';

const KEY = Buffer.alloc(32, 1);

describe('the environment of a program', () => {
  it.each(['PATH', 'HOME', 'TZ', 'TARGET', 'DATABASE_URL', 'NODE_ENV', 'NODE_OPTIONS', 'AWS_PROFILE', 'CODEX_HOME'])(
    '[HOSTS-103] %s counts: it can change what a tool does',
    (name) => expect(countsAsIdentity(name)).toBe(true),
  );

  it.each(['GEMINI_API_KEY', 'CURSOR_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_PLUGIN_DATA', 'XDG_CONFIG_HOME'])(
    '[HOSTS-103] %s counts, although it begins like those of a session',
    (name) => expect(countsAsIdentity(name)).toBe(true),
  );

  it.each([
    'TERM',
    'TERM_SESSION_ID',
    'PWD',
    'SHLVL',
    '_',
    'npm_config_cache',
    'SSH_CONNECTION',
    'SYSTEMD_EXEC_PID',
    'TMUX_PANE',
    'CLAUDECODE',
  ])('[HOSTS-103] %s does not count: it is another one each time', (name) =>
    expect(countsAsIdentity(name)).toBe(false),
  );

  it('[HOSTS-103] the documents tell what does not count, group by group, and why', async () => {
    const text = await readFile(new URL('../../../docs/workers.md', import.meta.url), 'utf8');
    const rows = text.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
    for (const { why, names } of VARYING) {
      expect(rows).toContainEqual(['', names.map((name) => `\`${name}\``).join(', '), why, '']);
    }
  });

  it('[HOSTS-102] is hashed with a key, whatever the order of its variables', () => {
    const hash = hashEnvironment({ A: '1', B: '2', TERM: 'dumb' }, KEY);
    expect(hashEnvironment({ TERM: 'xterm', B: '2', A: '1' }, KEY)).toBe(hash);
    expect(hashEnvironment({ A: '1', B: '3' }, KEY)).not.toBe(hash);
    expect(hashEnvironment({ A: '1B', '': '2' }, KEY)).not.toBe(hash);
    expect(hashEnvironment({ A: '1', B: '2' }, Buffer.alloc(32, 2))).not.toBe(hash);
  });
});
