import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ChaosOptions, type ChaosProgress, runChaos } from '../../../campaign/chaos/campaign.ts';
import { PLOT_FILE, toChaosPage, toRecoveryPlot } from '../../../campaign/chaos/chaos-page.ts';
import type { ChaosReport } from '../../../campaign/chaos/chaos-report.ts';
import { VERDICTS } from '../../../campaign/chaos/evidence.ts';
import { type ChaosPlan, parseKinds, parsePlan } from '../../../campaign/chaos/plan.ts';
import { writeJsonReport, writeReport } from '../../../campaign/report/write-report.ts';
import { isTaskError, TaskError } from '../../../errors.ts';
import { isObject } from '../../../is-object.ts';
import { findStoreAddress } from '../../stores/store-address.ts';
import { INTERRUPTED } from '../../terminal/interrupt.ts';
import { createProgressLine } from '../../terminal/progress-line.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { ChaosContext } from './campaign-commands.ts';

const REPORT_DIR = 'reports/chaos';
const FOUND = 1;
const SHOWN_VIOLATIONS = 20;
const MAX_SEED = 2 ** 31 - 1;

/** Runs a campaign and writes its report. */
export async function runChaosCommand({ rest, values, terminal }: ChaosContext): Promise<number> {
  const options = parseChaos(values, rest);
  const line = createProgressLine(terminal);
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  try {
    // Printed before anything can fail, so that a failed run can be repeated with its seed.
    terminal.remark(`seed ${options.seed}`);
    const onProgress = (progress: ChaosProgress) => line.show(toShare(progress, options), toProgressText(progress));
    const report = await runChaos({ ...options, signal: stop.signal, onProgress }).finally(line.end);
    const page = await writeChaos(report, options.reportDir);
    if (terminal.json) terminal.printJson(report);
    else printReport(terminal, report, page);
    if (stop.signal.aborted) return INTERRUPTED;
    return report.passed ? 0 : FOUND;
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}

/** Validates the options; an error names the option, its value and what is expected. */
export function parseChaos(values: ChaosContext['values'], rest: readonly string[]): ChaosOptions {
  const { faults, rate } = values;
  const plan = values.plan === undefined ? undefined : readPlan(values.plan);
  return {
    seed: plan?.seed ?? values.seed ?? randomInt(MAX_SEED),
    ms: plan?.ms ?? toMs(values),
    reportDir: values['report-dir'] ?? REPORT_DIR,
    ...(plan && { plan }),
    ...(faults !== undefined && { kinds: asUsage(() => parseKinds(faults, '--faults')) }),
    ...(rate !== undefined && { rate }),
    ...(values['no-shrink'] && { maxShrinkTries: 0 }),
    ...parseForeign(values, rest),
    ...parseDatabase(values, rest),
  };
}

const UNITS = { seconds: 1000, minutes: 60_000, hours: 3_600_000 } as const;

function toMs(values: ChaosContext['values']): number {
  const given = (['seconds', 'minutes', 'hours'] as const).filter((unit) => values[unit] !== undefined);
  const [unit = 'seconds'] = given;
  if (given.length > 1) throw new TaskError('USAGE', '--seconds, --minutes and --hours: expected one of them');
  return (values[unit] ?? 60) * UNITS[unit];
}

function readPlan(file: string): ChaosPlan {
  return asUsage(() => {
    try {
      return parsePlan(JSON.parse(readFileSync(file, 'utf8')));
    } catch (cause) {
      if (isTaskError(cause)) throw cause;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new TaskError('USAGE', `--plan cannot be read: ${why}; expected a plan that chaos has written`, { cause });
    }
  });
}

/** Reports a bad input file as a usage error. */
function asUsage<T>(parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    if (!isTaskError(cause, 'INVALID_ARGUMENT')) throw cause;
    throw new TaskError('USAGE', cause.message, { cause });
  }
}

function parseForeign(values: ChaosContext['values'], rest: readonly string[]): Pick<ChaosOptions, 'foreign'> {
  const [command, ...args] = rest;
  const { tool, arguments: text } = values;
  if (command === undefined) {
    const given = tool === undefined ? text && '--arguments' : '--tool';
    if (given) throw new TaskError('USAGE', `${given} needs the command of a server after --`);
    return {};
  }
  if (tool === undefined) throw new TaskError('USAGE', '--tool is missing; expected a tool of the server after --');
  return { foreign: { command, args, tool, toolArgs: parseArguments(text ?? '{}') } };
}

/** The workload gets its own schema in this database; it is dropped afterwards. */
function parseDatabase({ store }: ChaosContext['values'], rest: readonly string[]): Pick<ChaosOptions, 'database'> {
  if (store === undefined) return {};
  const { url, schema } = findStoreAddress({ store }) ?? {};
  if (url === undefined || schema !== undefined || rest.length > 0) {
    const expected = 'a postgres:// address without a schema, and no server after --';
    throw new TaskError('USAGE', `--store is ${JSON.stringify(store)}; expected ${expected}`);
  }
  return { database: url };
}

function parseArguments(text: string) {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value as Record<string, never>;
  } catch {
    // The error is thrown below.
  }
  throw new TaskError('USAGE', `--arguments is ${JSON.stringify(text)}; expected an object as JSON`);
}

function toShare({ totalMs }: ChaosProgress, { ms }: ChaosOptions): number {
  return Math.min(0.999, totalMs / ms);
}

function toProgressText({ state, seed, faults, kills, violations }: ChaosProgress): string {
  const found = violations === 0 ? '' : `, ${violations} violations`;
  return `seed ${seed}, ${state}: ${faults} faults, ${kills} kills${found}`;
}

async function writeChaos(report: ChaosReport, dir: string): Promise<string> {
  const page = join(dir, 'chaos.md');
  await writeJsonReport(join(dir, 'chaos.json'), report);
  await writeReport(join(dir, PLOT_FILE), toRecoveryPlot(report));
  await writeReport(page, toChaosPage(report));
  return page;
}

function printReport(terminal: Terminal, report: ChaosReport, page: string): void {
  const { passed, rounds, kills, calls, tasks, verdicts, recovery, violations } = report;
  terminal.print(`${passed ? 'passed' : 'FAILED'}: ${rounds} rounds, ${kills} kills, ${calls} calls, ${tasks} tasks`);
  terminal.print(VERDICTS.map((verdict) => `${verdict} ${verdicts[verdict]}`).join(', '));
  terminal.print(
    `recovery after kill -9: p50 ${recovery.p50Ms} ms, p95 ${recovery.p95Ms} ms, max ${recovery.maxMs} ms`,
  );
  for (const line of [...report.leftOut, ...report.notJudged]) terminal.print(`not done or judged: ${line}`);
  for (const { seed, verdict, says } of violations.slice(0, SHOWN_VIOLATIONS)) {
    terminal.printText(`  seed ${seed} ${verdict}: ${says}`);
  }
  const rest = violations.length - SHOWN_VIOLATIONS;
  if (rest > 0) terminal.print(`  and ${rest} more`);
  terminal.print(`report: ${page}`);
}
