import { describe, expect, it } from 'vitest';
import { isForAppsOnly } from '../../src/app-only.ts';
import { toElapsedProgress } from '../../src/gateway/calls/elapsed-progress.ts';
import { toCard } from '../../src/gateway/card.ts';
import { parseClientHello } from '../../src/gateway/client-hello.ts';
import { decidePolicy } from '../../src/gateway/policy.ts';

const tool = (more: object = {}) => ({ name: 'x', inputSchema: { type: 'object' }, ...more });
const info = (more: object) => ({ protocolVersion: '2025-11-25', era: 'legacy' as const, capabilities: {}, ...more });

describe('how a tool is treated', () => {
  it('[GATE-112] is what its owner says of it, then of its upstream, then what it says itself', () => {
    expect(decidePolicy(tool())).toEqual({ task: 'auto', idempotent: false });
    expect(decidePolicy(tool({ annotations: { readOnlyHint: true } })).idempotent).toBe(true);
    expect(decidePolicy(tool({ annotations: { idempotentHint: true } })).idempotent).toBe(true);
    const said = decidePolicy(
      tool({ annotations: { idempotentHint: true } }),
      { task: 'always', maxRunMs: 5, retry: 2 },
      { idempotent: false, retry: 7 },
    );
    expect(said).toEqual({ task: 'always', maxRunMs: 5, retry: 7, idempotent: false });
  });

  it('[GATE-108] is never a task where only apps see it, whatever is said', () => {
    const hidden = tool({ _meta: { ui: { visibility: ['app'] } } });
    expect(decidePolicy(hidden, { task: 'always' }).task).toBe('never');
    expect(isForAppsOnly(tool({ _meta: { ui: { visibility: ['model', 'app'] } } }))).toBe(false);
    expect(isForAppsOnly(tool({ _meta: { ui: {} } }))).toBe(false);
  });
});

describe('what is said of work that says nothing', () => {
  it('[GATE-204] is its time, against the time that such work took before, and never that it is done', () => {
    expect(toElapsedProgress(15_000, undefined)).toEqual({ value: 0, message: 'Running for 15 s' });
    expect(toElapsedProgress(15_000, 60_000)).toEqual({ value: 0.25, message: 'Running for 15 s of about 60 s' });
    expect(toElapsedProgress(90_000, 60_000).value).toBe(0.95);
  });
});

describe('what a gateway says of itself', () => {
  it('[GATE-101] is what its one server says, but for what it does itself', () => {
    const implementation = { name: 'a', version: '1', icons: [] };
    const card = toCard({ a: info({ implementation, capabilities: { tasks: { list: {} }, 'x-own': { a: 1 } } }) });
    expect(card).toMatchObject({ serverInfo: implementation, capabilities: { 'x-own': { a: 1 } } });
    expect(card.capabilities.tasks).toBeUndefined();
  });

  it('[GATE-111] is everything that several say, each under its name', () => {
    const card = toCard({
      a: info({ instructions: 'Use a.', capabilities: { prompts: { listChanged: true } } }),
      b: info({ instructions: 'Use b.', capabilities: { resources: {}, prompts: {} } }),
    });
    expect(card.serverInfo).toBeUndefined();
    expect(card.instructions).toBe('# a\n\nUse a.\n\n# b\n\nUse b.');
    expect(card.capabilities).toEqual({
      prompts: { listChanged: true },
      resources: {},
      tools: { listChanged: true },
    });
  });
});

describe('what the first client can be asked', () => {
  const line = (message: object) => Buffer.from(`${JSON.stringify(message)}\n{"more`);

  it('[GATE-113] is read from its first words, in either era', () => {
    const capabilities = { elicitation: {}, roots: { listChanged: true }, extensions: {} };
    const asked = { elicitation: {}, roots: { listChanged: true } };
    const initialize = line({ id: 7, method: 'initialize', params: { capabilities } });
    expect(parseClientHello(initialize)).toEqual({ capabilities: asked, id: 7 });
    const _meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities };
    expect(parseClientHello(line({ method: 'server/discover', params: { _meta } })).capabilities).toEqual(asked);
  });

  it('[GATE-113] is not known where they cannot be read', () => {
    expect(parseClientHello(Buffer.from('Content-Length: 12')).capabilities).toBeUndefined();
    expect(parseClientHello(line({ method: 'ping' })).capabilities).toBeUndefined();
  });
});
