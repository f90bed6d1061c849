import { describe, expect, it } from 'vitest';
import { readTool } from '../../../src/host/servers/host-tool.ts';

describe('an entry of a list of tools', () => {
  it('[FIRST-104] is read with its own fields, and without those that are not of their type', () => {
    const tool = {
      name: 'render',
      title: 7,
      description: 'Renders',
      inputSchema: { type: 'object', required: ['year'] },
      annotations: { readOnlyHint: 'yes', idempotentHint: true, own: 1 },
      icons: ['no object'],
      async: true,
      constructor: 'kept',
    };
    expect(readTool(tool)).toEqual({
      name: 'render',
      description: 'Renders',
      inputSchema: { type: 'object', required: ['year'] },
      annotations: { idempotentHint: true, own: 1 },
      async: true,
      constructor: 'kept',
    });
  });

  it('[FIRST-104] without a schema takes any object, and without a name is none', () => {
    expect(readTool({ name: 'bare', inputSchema: null, annotations: [] })).toEqual({
      name: 'bare',
      inputSchema: { type: 'object' },
    });
    for (const entry of [{ name: 5 }, {}, null, [], 'render']) expect(readTool(entry)).toBeUndefined();
  });
});
