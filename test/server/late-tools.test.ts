import { createMemoryStore, createServer } from 'holdfast';
import { describe, expect, it, onTestFinished } from 'vitest';

function open() {
  const options = {
    name: 'late',
    version: '1',
    workers: 'inline',
    store: createMemoryStore(),
    unprotected: true,
  } as const;
  const server = createServer(options);
  onTestFinished(() => server.close());
  return server.tool('early', { run: () => '' });
}

const refusal = (message: string) =>
  expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(message) });

describe('a tool that is registered after its server began to serve', () => {
  it('[FIRST-312] is refused after listen', async () => {
    const server = open();
    const { close } = await server.listen({ port: 0 });
    onTestFinished(close);
    expect(() => server.tool('late', { run: () => '' })).toThrow(
      refusal('tool "late" comes after the server began to serve, and would not be served; register everything before'),
    );
    expect(() => server.mcp(() => {})).toThrow(refusal('what mcp registers comes after the server began to serve'));
  });

  it('[FIRST-312] is refused after the first fetch', async () => {
    const server = open();
    await server.fetch(new Request('http://localhost/mcp'));
    expect(() => server.tool('late', { run: () => '' })).toThrow(refusal('tool "late" comes after'));
  });
});

describe('a port that cannot be listened on', () => {
  it('[FIRST-313] is LISTEN_FAILED, and says which and what to do', async () => {
    const { port, close } = await open().listen({ port: 0 });
    onTestFinished(close);
    await expect(open().listen({ port })).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
      message: `port ${port} of 127.0.0.1 is taken by another program; end that one, or choose another port (0 takes any free one)`,
      data: { port, host: '127.0.0.1' },
    });
  });
});
