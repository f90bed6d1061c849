import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, openSqliteStore, type ServerOptions, type ServerTool } from 'holdfast';
import { createHost } from 'holdfast/host';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openMonitor } from '../../src/apps/monitor/monitor.ts';

const SERVER = { name: 'test', version: '1' };
const run = () => 1;
const refusal = (message: string) => expect.objectContaining({ code: 'INVALID_ARGUMENT', message });

describe('what a user gets wrong', () => {
  it.each([
    [{ version: '1' }, 'name is undefined; expected a non-empty text'],
    [{ ...SERVER, title: 7 }, 'title is 7; expected a text'],
    [{ ...SERVER, jobs: 'never' }, "jobs is \"never\"; expected 'asked' or 'always'"],
    [
      { ...SERVER, http: { perPrincipal: { requests: 0 } } },
      'http.perPrincipal.requests is 0; expected a whole number from 1 up',
    ],
    [{ ...SERVER, http: { allowedHosts: ['a', 'b c'] } }, 'http.allowedHosts[1] is "b c"; expected a host name'],
    [{ ...SERVER, messageLimits: { values: 0.5 } }, 'messageLimits.values is 0.5; expected a whole number from 1 up'],
    [
      { ...SERVER, verify: () => undefined, unprotected: true },
      'unprotected is true; expected false where there is a verify function',
    ],
    [
      { ...SERVER, profiles: { codex: { giveUpMs: 5, job: 1 } } },
      /^profiles\["codex"\]\.job is 1; expected only giveUpMs, /,
    ],
    [{ ...SERVER, secret: 'guessed' }, 'secret is not usable; expected a text of 16 or more characters'],
  ])('[ROOMS-305] in createServer is named: %j', (options, message) => {
    const named = message instanceof RegExp ? expect.stringMatching(message) : message;
    expect(() => createServer(options as unknown as ServerOptions)).toThrow(refusal(named));
  });

  it.each([
    [{}, 'tool t: run is undefined; expected a function'],
    [{ run, description: ['x'] }, "tool t: description is [ 'x' ]; expected a text"],
    [
      { run, annotations: { readOnlyHint: 'yes' } },
      'tool t: annotations.readOnlyHint is "yes"; expected true or false',
    ],
    [{ run, icons: [{ src: 'a' }, {}] }, 'tool t: icons[1].src is undefined; expected a non-empty text'],
    [{ run, stream: { app: 'a b' } }, 'tool t: stream.app is "a b"; expected a name of letters, digits, _ . and -'],
  ])('[ROOMS-305] in a tool of a server is named: %j', (tool, message) => {
    expect(() => createServer(SERVER).tool('t', tool as unknown as ServerTool)).toThrow(refusal(message));
  });

  it.each([
    [{ leger: 'x' }, /^leger is not known \(did you mean ledger\?\); expected ledger, codec, redact, client, /],
    [{ client: { name: 'x' } }, /^client.version is undefined; expected a non-empty text$/],
    [{ connectMs: '5' }, /^connectMs is "5"; expected a whole number from 0 up$/],
    ['x', /^the options is "x"; expected an object$/],
  ])('[ROOMS-305] in createHost is named: %j', async (options, message) => {
    await expect(createHost(options as never)).rejects.toThrow(refusal(expect.stringMatching(message)));
  });

  it('[ROOMS-305] in the spec of a server is named, and no other field of it is shown', async () => {
    const host = await createHost();
    onTestFinished(() => host.close());
    const env = { TOKEN: 'hush-hush', LEVEL: 5 };
    const wrong = await host.connect('s', { command: 'x', env } as never).catch((error: unknown) => error);
    expect(wrong).toMatchObject({ message: 'server s: env.LEVEL is 5; expected a text' });
    const two = await host
      .connect('s', { command: 'x', url: 'http://x', env } as never)
      .catch((error: unknown) => error);
    expect(two).toMatchObject({
      message: 'server s: the spec has command and url; expected exactly one of command, url, transport',
    });
  });

  it.each([
    [{ path: 7 }, 'path is 7; expected a path'],
    [{ path: '/tmp/x', synchronous: 'off' }, "synchronous is \"off\"; expected 'full' or 'normal'"],
    [{ path: '/tmp/x', readOnly: 'no' }, 'readOnly is "no"; expected true or false'],
  ])('[ROOMS-305] in openSqliteStore is named: %j', async (options, message) => {
    await expect(openSqliteStore(options as never)).rejects.toThrow(refusal(message));
  });

  it.each([
    ['{"priority":{"dirs":{"/a":-1}}}', 'priority.dirs[/a] is -1; expected a number from 0 up'],
    ['{"filter":{"exclude_globs":["*.a",7]}}', 'filter.exclude_globs[1] is 7; expected a pattern such as *.tmp'],
    [
      '{"priorty":{}}',
      'the config has "priorty"; expected filter, priority, min_priority, max_documents, allowed_roots',
    ],
  ])('[ROOMS-306] in a configuration file is named with the file: %s', async (text, message) => {
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-schemas-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    const config = join(dir, 'config.json');
    await writeFile(config, text);
    const monitor = openMonitor({ database: join(dir, 'monitor.db'), config });
    onTestFinished(() => monitor[Symbol.asyncDispose]());
    expect(() => monitor.status()).toThrow(refusal(`config ${config}: ${message}`));
  });
});
