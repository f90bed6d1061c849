import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toRunId } from '../../../src/campaign/report/run-id.ts';
import { openReportDirectory, writeJsonReport, writeReport } from '../../../src/campaign/report/write-report.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-report-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('a report', () => {
  it('[BAD-501] replaces an older one as a whole, in a directory that is made for it', async () => {
    const path = join(directory, 'a', 'b', 'report.json');
    await writeJsonReport(path, { outcome: 'pass' });
    await writeJsonReport(path, { outcome: 'fail' });
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ outcome: 'fail' });
    expect(await readdir(join(directory, 'a', 'b'))).toEqual(['report.json']);
  });

  it('[BAD-501] that cannot be written is told with its place, and leaves nothing behind', async () => {
    await writeFile(join(directory, 'file'), 'kept');
    const path = join(directory, 'file', 'report.md');
    await expect(writeReport(path, 'text')).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(path),
    });
    expect(await readdir(directory)).toEqual(['file']);
  });

  it('[BAD-501] has its place looked at before there is anything to write', async () => {
    await writeFile(join(directory, 'file'), 'kept');
    for (const place of ['file', 'file/below']) {
      const path = join(directory, place);
      await expect(openReportDirectory(path)).rejects.toMatchObject({ code: 'USAGE' });
    }
    expect(await openReportDirectory(join(directory, 'new', 'one'))).toBe(join(directory, 'new', 'one'));
  });

  it('[BAD-501] is named by its time', () => {
    expect(toRunId(new Date('2026-02-15T22:16:50.123Z'))).toBe('20260215_221650');
  });
});
