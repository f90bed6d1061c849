import { join } from 'node:path';
import { writeJsonReport, writeReport } from '../report/write-report.ts';
import { writePlots } from './plots.ts';
import type { SoakRun } from './run-soak.ts';
import { toSoakPage } from './soak-page.ts';

/** Prefix of the file names of a soak's report. */
export const SOAK_REPORT = 'mcp_transport_soak_';

/** Writes the reports for programs and people; returns the path of the page for people. */
export async function writeSoak({ report, timeline }: SoakRun, directory: string): Promise<string> {
  const base = `${SOAK_REPORT}${report.run_id}`;
  const { transport, era } = report.config;
  const plots = await writePlots([{ name: `${transport} ${era}`, offsetS: 0, timeline }], { directory, base });
  await writeJsonReport(join(directory, `${base}.json`), report);
  const page = join(directory, `${base}.md`);
  await writeReport(page, toSoakPage(report, plots));
  return page;
}
