import { toRunId } from '../../../campaign/report/run-id.ts';
import { openReportDirectory } from '../../../campaign/report/write-report.ts';
import { runClosure } from '../../../campaign/soak/closure/run-closure.ts';
import { writeClosure } from '../../../campaign/soak/closure/write-closure.ts';
import { runSoak } from '../../../campaign/soak/run-soak.ts';
import { writeSoak } from '../../../campaign/soak/write-soak.ts';
import { INTERRUPTED } from '../../terminal/interrupt.ts';
import { createProgressLine } from '../../terminal/progress-line.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { ClosureContext, SoakContext } from './campaign-commands.ts';
import { parseClosure, parseSoak } from './parse-soak.ts';

const REPORT_DIR = 'reports/mcp_transport';
/** Exit code of a campaign that ran to its end and did not pass. */
const NOT_PASSED = 2;
const SHOWN_FAILURES = 20;

/** Runs a soak and writes its report. */
export function runSoakCommand(context: SoakContext): Promise<number> {
  return runCampaign(context.terminal, (live) => soak(context, live));
}

/** Runs a closure campaign and writes its report. */
export function runClosureCommand(context: ClosureContext): Promise<number> {
  return runCampaign(context.terminal, (live) => close(context, live));
}

async function runCampaign(terminal: Terminal, run: (live: Live) => Promise<boolean>): Promise<number> {
  const line = createProgressLine(terminal);
  const stop = new AbortController();
  // The server runs in its own process group, which Ctrl-C does not reach: it is stopped here, and the report is written.
  const onSignal = () => stop.abort();
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  const live = { signal: stop.signal, onProgress: line.show };
  try {
    const isPassed = await run(live).finally(line.end);
    if (stop.signal.aborted) return INTERRUPTED;
    return isPassed ? 0 : NOT_PASSED;
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}

interface Live {
  readonly signal: AbortSignal;
  readonly onProgress: (part: number, message: string) => void;
}

async function soak({ values, rest, terminal }: SoakContext, live: Live): Promise<boolean> {
  const options = parseSoak(values, rest);
  const directory = await openReportDirectory(values['report-dir'] ?? REPORT_DIR);
  const run = await runSoak({ ...options, ...live }, toRunId(new Date()));
  const page = await writeSoak(run, directory);
  const { outcome, results } = run.report;
  const { latency, failures } = results;
  if (terminal.json) terminal.printJson(run.report);
  else {
    terminal.print(`${outcome}: ${latency.count} calls, p50 ${latency.p50_ms} ms, p95 ${latency.p95_ms} ms`);
    printEnd(terminal, { failures, page });
  }
  return outcome === 'pass';
}

async function close({ values, rest, terminal }: ClosureContext, live: Live): Promise<boolean> {
  const options = parseClosure(values, rest);
  const directory = await openReportDirectory(values['report-dir'] ?? REPORT_DIR);
  const closure = await runClosure({ ...options, soak: { ...options.soak, ...live } });
  const page = await writeClosure(closure, directory);
  const { results } = closure.report;
  if (terminal.json) terminal.printJson(closure.report);
  else {
    const streak = `streak ${results.current_consecutive_pass_streak} of ${options.streakTarget}`;
    const ratio = `p95 ratio ${results.window_p95_compliance_ratio}`;
    terminal.print(`closure_ready: ${results.closure_ready}, ${streak}, ${ratio}`);
    printEnd(terminal, { failures: results.campaign_runs.flatMap(({ failures }) => failures), page });
  }
  return results.closure_ready;
}

function printEnd(terminal: Terminal, { failures, page }: { failures: readonly string[]; page: string }): void {
  for (const failure of failures.slice(0, SHOWN_FAILURES)) terminal.printText(`  ${failure}`);
  if (failures.length > SHOWN_FAILURES) terminal.print(`  and ${failures.length - SHOWN_FAILURES} more`);
  terminal.print(`report: ${page}`);
}
