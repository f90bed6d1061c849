import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/dialects/server-port.ts';
import { handOverAfterMs } from '../../../src/server/clients/hand-over-time.ts';
import { findShownProfile, type Profiles, withKnownProfiles } from '../../../src/server/clients/profiles.ts';
import { openHttp } from '../open-http.ts';
import { openPlain } from '../plain-client.ts';

const FOREVER = Number.POSITIVE_INFINITY;
const UUID = '6fa459ea-ee8a-4ca4-894e-db77e160355e';

interface Shown extends Partial<Omit<Caller, 'client'>> {
  readonly version?: string;
  readonly token?: string | number;
}

/** How long the line of a client's call is held. */
function patience(name: string, { version = '1.0.0', token, ...shown }: Shown = {}, profiles: Profiles = {}): number {
  const parts = {
    profiles: () => withKnownProfiles(profiles),
    settings: { marginMs: 10_000, progressEveryMs: 10_000 },
  };
  const caller = { capabilities: {}, ...shown, client: { name, version } };
  const channel = token === undefined ? {} : { progressToken: token };
  return handOverAfterMs(parts as never, { caller, channel } as never);
}

// As OpenAI Agents and Mastra look, whatever their server is called: the modern era, no token, and a version of nobody's.
const LABELLED: readonly (readonly [string, Shown])[] = [
  ['OpenAI Agents', { era: 'modern', protocolVersion: '2026-07-28' }],
  ['Mastra 0.x', { era: 'legacy', protocolVersion: '2025-11-25', capabilities: { elicitation: {} } }],
  ['Mastra 2', { era: 'modern', protocolVersion: '2026-07-28', capabilities: { elicitation: {} } }],
];
const LABELS = ['claude code', 'codex', 'copilot', 'visual studio code', 'gemini', 'opencode', 'qwen', 'ai sdk'];

describe('a client that reports the name of the configured server', () => {
  it.each(LABELLED)('[HOSTS-310] is held no longer than the default, whatever the server is called: %s', (_, shown) => {
    expect(LABELS.map((label) => patience(label, shown))).toEqual(LABELS.map(() => 50_000));
  });

  it.each(['codex', 'gemini', 'qwen', 'opencode', 'claude code'])(
    '[HOSTS-310] is held no longer either when Mastra shows progress, as %s',
    (label) => {
      expect(patience(label, { protocolVersion: '2025-11-25', token: 1 })).toBe(50_000);
    },
  );

  it('[HOSTS-311] is shown the tools to wait with, although it calls itself by the name of one that needs none', async () => {
    const rig = await openHttp();
    const client = await openPlain(await rig.serve(), { name: 'Visual Studio Code' });
    expect(await client.toolNames()).toContain('task_wait');
  });
});

describe('a client that shows what was measured of it', () => {
  it.each<readonly [string, Shown, number]>([
    ['codex-mcp-client', { version: '0.166.0', protocolVersion: '2025-06-18', token: 0 }, 290_000],
    ['claude-code', { version: '2.1.325', protocolVersion: '2026-07-28', token: 2 }, FOREVER],
    ['claude-code', { version: '2.1.197', protocolVersion: '2025-11-25', token: 2 }, FOREVER],
    [
      'github-copilot-developer',
      { protocolVersion: '2026-07-28', capabilities: { elicitation: {} }, token: 1 },
      FOREVER,
    ],
    ['gemini-cli-mcp-client', { version: '0.0.1', protocolVersion: '2025-06-18', token: UUID }, 590_000],
    ['opencode', { version: '1.18.33', protocolVersion: '2025-11-25', token: 1 }, FOREVER],
    ['qwen-code-mcp-client-slow', { version: '0.0.1', protocolVersion: '2025-11-25', token: 1 }, FOREVER],
    ['ai-sdk-mcp-client', { protocolVersion: '2026-07-28', hasProbed: true }, FOREVER],
    ['Visual Studio Code', { protocolVersion: '2025-11-25', capabilities: { roots: {}, sampling: {} } }, FOREVER],
  ])('[HOSTS-312] is held as long as it waits: %s', (name, shown, ms) => {
    expect(patience(name, shown)).toBe(ms);
  });

  it("[HOSTS-313] is not asked for by the owner's own profiles, which may say more or less", () => {
    expect(patience('codex', {}, { codex: { giveUpMs: 3_600_000 } })).toBe(3_590_000);
    expect(patience('codex', {}, { codex: { giveUpMs: 20_000 } })).toBe(10_000);
  });

  it('[HOSTS-313] is not asked for where a name only shortens the wait, or says how a client cancels', () => {
    const shown = { caller: { client: { name: 'codex' }, capabilities: {} } as unknown as Caller };
    expect(findShownProfile(withKnownProfiles(), shown)).toMatchObject({
      giveUpMs: 60_000,
      leaveReasons: ['MCP response future dropped'],
    });
  });
});
