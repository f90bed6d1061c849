import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fetchTool } from '../../scripts/fetched/fetch-tool.mjs';

const TOOLS = fileURLToPath(new URL('../../.cache/tools', import.meta.url));

describe('a tool that cannot be had', () => {
  beforeEach(() => {
    vi.stubEnv('npm_config_offline', 'true');
    // npm's own account of the failure goes to stderr, which is right but not news here.
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  it('is an error that names it, and leaves nothing behind', async () => {
    const tool = { name: 'holdfast-no-such-tool', version: '1.0.0' };
    await expect(fetchTool(tool)).rejects.toThrow(
      /^Could not fetch holdfast-no-such-tool@1\.0\.0: .*registry reachable/,
    );
    expect((await readdir(TOOLS)).filter((name) => name.startsWith(tool.name))).toEqual([]);
  });
});
