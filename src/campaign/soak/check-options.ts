import { TaskError } from '../../errors.ts';
import type { SoakOptions } from './soak-options.ts';

/** The delay must be long enough that the task still runs when its result is requested. */
const MIN_PROBE_DELAY_MS = 50;

/** Rejects contradictory options, with messages that name the command-line flags. */
export function checkSoakOptions(options: SoakOptions): void {
  const problem = findProbeProblem(options) ?? findUrlProblem(options);
  if (problem !== undefined) throw new TaskError('USAGE', problem);
}

function findProbeProblem(options: SoakOptions): string | undefined {
  const { probeNonterminalTaskResult, taskWorkerStartDelayMs: delayMs } = options;
  if (!probeNonterminalTaskResult || delayMs >= MIN_PROBE_DELAY_MS) return undefined;
  const expected = `expected with --probe-nonterminal-task-result is ${MIN_PROBE_DELAY_MS} or more`;
  return `--task-worker-start-delay-ms is ${delayMs}; ${expected}`;
}

function findUrlProblem({ target, transport, killServer, killWorker }: SoakOptions): string | undefined {
  if (target.kind !== 'url') return undefined;
  if (transport !== 'http') return `--transport is ${transport}; expected with --url is http`;
  if (!killServer && !killWorker) return undefined;
  return 'what runs behind --url cannot be killed from here; expected with --kill-server and --kill-worker is a command';
}
