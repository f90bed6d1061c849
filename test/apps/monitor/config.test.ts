import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/apps/monitor/config/config.ts';
import { openScene } from './open-scene.ts';

describe('a config', () => {
  it('[MON-01] includes everything, limits nothing and weighs nothing by default', () => {
    expect(parseConfig({})).toEqual({
      filter: {
        include_paths: ['/'],
        exclude_paths: [],
        include_dirnames: [],
        exclude_dirnames: [],
        include_globs: [],
        exclude_globs: [],
      },
      priority: {
        dirs: {},
        weights: {
          depth_multiplier: 1,
          underscore_multiplier: 1,
          only_underscore_multiplier: 1,
          extension_weights: {},
        },
      },
      min_priority: 0,
      max_documents: 0,
      allowed_roots: ['/'],
    });
  });

  it('takes ~ for the home directory and paths without their detours', () => {
    const { filter, allowed_roots } = parseConfig({
      filter: { include_paths: ['~', '~/a/../b/'] },
      allowed_roots: ['/x//y/'],
    });
    expect(filter.include_paths).toEqual([homedir(), join(homedir(), 'b')]);
    expect(allowed_roots).toEqual(['/x/y']);
  });

  it.each([
    [[], 'the config is []; expected an object'],
    [
      { filters: {} },
      'the config has "filters"; expected filter, priority, min_priority, max_documents, allowed_roots',
    ],
    [{ filter: { include_paths: '/a' } }, 'filter.include_paths is "/a"; expected a list of texts'],
    [
      { filter: { include_paths: ['/a', 'b'] } },
      'filter.include_paths[1] is "b"; expected an absolute path, or one that begins with ~/',
    ],
    [
      { filter: { exclude_dirnames: ['a/b'] } },
      'filter.exclude_dirnames[0] is "a/b"; expected the name of a directory, without a slash',
    ],
    [{ filter: { exclude_globs: [''] } }, 'filter.exclude_globs[0] is ""; expected a pattern such as *.tmp'],
    [{ priority: { dirs: { '/a': '5' } } }, 'priority.dirs[/a] is "5"; expected a number from 0 up'],
    [
      { priority: { dirs: { a: 5 } } },
      'a key of priority.dirs is "a"; expected an absolute path, or one that begins with ~/',
    ],
    [
      { priority: { weights: { extension_weights: { md: 2 } } } },
      'a key of priority.weights.extension_weights is "md"; expected an extension with its dot, such as .md',
    ],
    [
      { priority: { weights: { depth: 1 } } },
      'priority.weights has "depth"; expected depth_multiplier, underscore_multiplier, only_underscore_multiplier, extension_weights',
    ],
    [{ min_priority: -1 }, 'min_priority is -1; expected a number from 0 up'],
    [{ max_documents: 1.5 }, 'max_documents is 1.5; expected a whole number from 0 up; 0 is without limit'],
    [{ allowed_roots: [7] }, 'allowed_roots[0] is 7; expected an absolute path, or one that begins with ~/'],
    [{ allowed_roots: [`/${'a'.repeat(4096)}`] }, 'allowed_roots[0] has 4097 characters; expected at most 4096'],
  ])('[MON-02] %j is refused: %s', (value, message) => {
    expect(() => parseConfig(value)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', message }));
  });
});

describe('a config file', () => {
  it('[MON-02] that is no JSON, or cannot be read, is named', async () => {
    const { monitor, config, write, tree } = await openScene();
    await write({ '../state/monitor.json': '{"filter":' });
    expect(() => monitor.status()).toThrow(`config ${config}: the file is not JSON`);
    await expect(async () => monitor.sync({ path: tree })).rejects.toThrow(`config ${config}: the file is not JSON`);
  });

  it('[MON-03] is changed entry by entry, and the rest of it stays', async () => {
    const { monitor, config, configure } = await openScene();
    await configure({ max_documents: 7, filter: { exclude_globs: ['*.a'] } });
    expect(await monitor.addFilter('exclude_globs', '*.b')).toBe(true);
    expect(await monitor.addFilter('exclude_globs', '*.b')).toBe(false);
    expect(await monitor.removeFilter('exclude_globs', '*.a')).toBe(true);
    expect(await monitor.removeFilter('exclude_globs', '*.a')).toBe(false);
    expect(await monitor.setPriority('/a/', 5)).toBe(true);
    expect(await monitor.setPriority('/a', 6)).toBe(true);
    expect(await monitor.setPriority('/b', 1)).toBe(true);
    expect(await monitor.removePriority('/b')).toBe(true);
    expect(await monitor.removePriority('/b')).toBe(false);
    expect(JSON.parse(await readFile(config, 'utf8'))).toEqual({
      max_documents: 7,
      filter: { exclude_globs: ['*.b'] },
      priority: { dirs: { '/a': 6 } },
    });
  });

  it('[MON-03] refuses a change that would make it wrong, and stays as it was', async () => {
    const { monitor, config, configure } = await openScene();
    await configure({ min_priority: 1 });
    await expect(monitor.addFilter('include_paths', 'relative')).rejects.toThrow('expected an absolute path');
    await expect(monitor.setPriority('/a', -1)).rejects.toThrow('priority is -1; expected a number from 0 up');
    expect(JSON.parse(await readFile(config, 'utf8'))).toEqual({ min_priority: 1 });
  });

  it('[MON-03] keeps every one of many changes made at once', async () => {
    const { monitor } = await openScene();
    const names = Array.from({ length: 50 }, (_, at) => `dir-${at}`);
    await Promise.all(names.map((name) => monitor.addFilter('exclude_dirnames', name)));
    expect(monitor.showFilter().exclude_dirnames.toSorted()).toEqual(names.toSorted());
  });
});
