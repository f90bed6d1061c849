/** Servers that are slow to come: what hosts send meanwhile, message by message. */
import { describe, expect, it } from 'vitest';
import { openRawStdio } from './raw-client.ts';
import { openSite } from './site.ts';

const META = 'io.modelcontextprotocol/';
const CLAUDE = { name: 'claude-code', version: '2.1.325' };
const SUPPORTED = ['2026-07-28'];

const toInitialize = (clientInfo: object) => ({ protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
const toEnvelope = (clientInfo: object) => ({
  [`${META}protocolVersion`]: '2026-07-28',
  [`${META}clientInfo`]: clientInfo,
  [`${META}clientCapabilities`]: { extensions: { [`${META}tasks`]: {} } },
});

/** A host that has probed and fallen back before the server came; both messages lie in the pipe. */
async function openLate(clientInfo: object, { probes = true } = {}) {
  const client = await openRawStdio(await openSite(), 'legacy', { handshake: false });
  const _meta = toEnvelope(clientInfo);
  const probe = probes ? client.request('server/discover', { _meta }) : undefined;
  const initialize = () => client.request('initialize', toInitialize(clientInfo));
  const [discovered, answer] = await Promise.all([probe, initialize()]);
  return { client, _meta, discovered, answer, initialize };
}

describe('a client that was late answered and falls back', () => {
  it('[HOSTS-205] is refused its initialize once when it is known to ask again, and gets tasks', async () => {
    const { client, _meta, discovered, answer } = await openLate(CLAUDE);
    expect(discovered?.result).toMatchObject({ supportedVersions: SUPPORTED });
    expect(answer.error).toMatchObject({ code: -32022, data: { supported: SUPPORTED, requested: '2025-11-25' } });
    expect(await client.request('server/discover', { _meta })).toHaveProperty('result.supportedVersions', SUPPORTED);
    const { result } = await client.request('tools/call', { name: 'render', arguments: { ms: 60_000 }, _meta });
    expect(result).toMatchObject({ resultType: 'task' });
    const { taskId } = result as { taskId: string };
    await client.request('tasks/cancel', { taskId, _meta });
  });

  it('[HOSTS-206] is served when it insists', async () => {
    const { answer, initialize } = await openLate(CLAUDE);
    expect(answer.error?.code).toBe(-32022);
    expect(await initialize()).toHaveProperty('result.protocolVersion', '2025-11-25');
  });

  it.each([
    ['probed and is not known to come back', { name: 'copilot', version: '1' }, true],
    ['is known and has not probed', CLAUDE, false],
  ])('[HOSTS-206] is never refused when it %s', async (_what, clientInfo, probes) => {
    const { answer } = await openLate(clientInfo, { probes });
    expect(answer).toHaveProperty('result.protocolVersion', '2025-11-25');
  });
});
