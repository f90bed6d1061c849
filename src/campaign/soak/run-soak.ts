/**
 * A soak: many calls to one server, one after the other, with probes before them and kills between them.
 *
 * Returns its findings. Throws only when a soak makes no sense: the server does not start, or a tool does not exist.
 */
import { judgeDrift, measureDrift } from './drift.ts';
import type { Findings } from './findings.ts';
import { judgeRun } from './judge-run.ts';
import { probeMalformed, probeTaskResult, toUnusedProbe } from './probes.ts';
import { requireTool } from './require-tool.ts';
import { NO_ANSWER, ServerUnderTest } from './server-under-test.ts';
import { SoakLoop } from './soak-loop.ts';
import type { SoakOptions } from './soak-options.ts';
import { type SoakReport, toSoakReport } from './soak-report.ts';
import { Timeline } from './timeline.ts';

export interface SoakRun {
  readonly report: SoakReport;
  readonly timeline: Timeline;
}

/** Runs a soak; `runId` is its name in reports. */
export async function runSoak(options: SoakOptions, runId: string): Promise<SoakRun> {
  const startedAt = new Date();
  const findings: Findings = {
    failures: [],
    errorCodes: new Map(),
    malformedProbeOk: true,
    probe: toUnusedProbe(options.probeNonterminalTaskResult, options.taskWorkerStartDelayMs),
  };
  const timeline = new Timeline();
  await using server = await ServerUnderTest.create(options);
  // On abort, do not wait for the pending response.
  options.signal?.addEventListener('abort', () => void server.disconnect(), { once: true });
  if (await openServer(server, options, findings)) {
    await probe(server, options, findings);
    await new SoakLoop({ options, server, findings, timeline }).run();
  }
  const drift = measureDrift(timeline, options);
  findings.failures.push(...judgeRun(options, findings, timeline), ...judgeDrift(drift), ...server.strayResponses);
  return { report: toSoakReport({ options, runId, startedAt, findings, timeline, drift }), timeline };
}

/** Returns whether there is a server to continue with. */
async function openServer(server: ServerUnderTest, options: SoakOptions, { failures }: Findings): Promise<boolean> {
  const { transport, workload } = options;
  const opened = await server.open();
  if (opened.kind === 'error') {
    failures.push('initialize_missing_result');
    // No response at all: this server does not understand framed messages.
    if (opened.code === NO_ANSWER && transport === 'framed') failures.push('transport_not_spoken:framed');
    else failures.push(`initialize_exception:${opened.message}`);
    return false;
  }
  const { measured, killed, probe: probed } = workload;
  const tools = [measured.tool, killed.tool, ...(options.probeNonterminalTaskResult ? [probed.tool] : [])];
  for (const tool of new Set(tools)) await requireTool(server.session, tool);
  return true;
}

async function probe(server: ServerUnderTest, options: SoakOptions, findings: Findings): Promise<void> {
  if (options.injectMalformedFrame) {
    findings.malformedProbeOk = await probeMalformed(server.session);
    if (!findings.malformedProbeOk) findings.failures.push('malformed_frame_probe_failed');
  }
  if (options.probeNonterminalTaskResult) {
    const found = await probeTaskResult(server.session, options.workload.probe, options.taskWorkerStartDelayMs);
    findings.probe = found.probe;
    findings.failures.push(...found.failures);
  }
}
