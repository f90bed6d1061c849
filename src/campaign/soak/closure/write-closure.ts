import { join } from 'node:path';
import { writeJsonReport, writeReport } from '../../report/write-report.ts';
import { writePlots } from '../plots.ts';
import { SOAK_REPORT } from '../write-soak.ts';
import { toClosurePage } from './closure-page.ts';
import type { Closure } from './run-closure.ts';

/** Writes the report of a campaign and of each of its soaks; returns the path of the page for people. */
export async function writeClosure({ report, soaks, plotted }: Closure, directory: string): Promise<string> {
  const base = `mcp_transport_closure_${report.run_id}`;
  for (const soak of soaks) {
    await writeJsonReport(join(directory, base, `${SOAK_REPORT}${soak.report.run_id}.json`), soak.report);
  }
  const plots = await writePlots(plotted, { directory, base });
  await writeJsonReport(join(directory, `${base}.json`), report);
  const page = join(directory, `${base}.md`);
  await writeReport(page, toClosurePage(report, plots));
  return page;
}
