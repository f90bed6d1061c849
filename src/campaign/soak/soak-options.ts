import { toChildEnvironment } from '../../process/child-environment.ts';
import type { Era, Transport } from './peers/connection.ts';
import type { HttpPlace } from './peers/http-connection.ts';
import type { SoakDatabase } from './store-view.ts';
import type { Workload } from './workload.ts';

/** The server under soak. */
export type Target =
  | {
      readonly kind: 'command';
      /** Its name in reports. */
      readonly label: string;
      readonly stdio: readonly string[];
      /** The command line that serves HTTP and prints its URL. */
      readonly http: readonly string[];
      /** Variables that it gets in addition to the usual few and those of a soak; `*` at the end matches any suffix. */
      readonly passEnv: readonly string[];
    }
  | { readonly kind: 'url'; readonly place: HttpPlace };

/** How a legacy server's `tasks/result` treats an unfinished task; passed to the server in its environment. */
export interface ResultModeSettings {
  readonly taskResultMode: string;
  readonly taskResultAutoRetryClients: string;
}

/** More settings for servers of the system that the soak harness comes from (`MUNINN_…`); other servers ignore them. */
export interface BackendSettings {
  readonly serverUrl: string;
  readonly failureThreshold: number;
  readonly cooldownSec: number;
}

export interface SoakOptions extends ResultModeSettings, BackendSettings {
  readonly target: Target;
  readonly workload: Workload;
  /** The server's store, if it is in PostgreSQL. */
  readonly database?: SoakDatabase;
  /** Minimum number of measured calls. */
  readonly iterations: number;
  /** Calls before them that are not measured. */
  readonly warmupRequests: number;
  readonly timeoutMs: number;
  readonly transport: Transport;
  readonly era: Era;
  readonly maxP95Ms: number;
  /** Minimum duration of the run. */
  readonly durationMs?: number | undefined;
  readonly probeNonterminalTaskResult: boolean;
  readonly taskWorkerStartDelayMs: number;
  readonly injectMalformedFrame: boolean;
  /** Kill the server during a call; only for a server that was started here. */
  readonly killServer: boolean;
  /** Kill the worker of a Holdfast server during a call. */
  readonly killWorker: boolean;
  /** @default 1.1, judged only in a run that is long enough */
  readonly maxDrift?: number | undefined;
  /** How long the soak's store keeps ended tasks. */
  readonly keepMs: number;
  /** Stops the run; its report contains what was measured until then. */
  readonly signal?: AbortSignal | undefined;
  /** Called after every call with the progress, 0..1. */
  readonly onProgress?: ((part: number, message: string) => void) | undefined;
}

/** Variables that every program may need; others are passed only by name, because a shell environment may hold keys. */
const USUAL_VARIABLES = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'TMPDIR'];

/** Returns the environment of a server that stores its data in this directory. */
export function toSoakEnvironment(options: SoakOptions, directory: string): Record<string, string> {
  const passed = options.target.kind === 'command' ? options.target.passEnv : [];
  return toChildEnvironment({ passEnv: [...USUAL_VARIABLES, ...passed], env: toSoakVariables(options, directory) });
}

function toSoakVariables(options: SoakOptions, directory: string): Record<string, string> {
  const mode = {
    TASK_RESULT_MODE: options.taskResultMode,
    TASK_RESULT_AUTO_RETRY_CLIENTS: options.taskResultAutoRetryClients,
  };
  return {
    // A separate store, so that a soak neither fills a store in real use nor kills its workers.
    HOLDFAST_DIR: directory,
    ...withPrefix('HOLDFAST_', mode),
    ...withPrefix('MUNINN_MCP_', {
      ...mode,
      AUTOSTART_ON_LAUNCH: '0',
      AUTOSTART_SERVER: '0',
      AUTOSTART_OLLAMA: '0',
      BACKEND_FAILURE_THRESHOLD: String(options.failureThreshold),
      BACKEND_COOLDOWN_SEC: String(options.cooldownSec),
      TASK_WORKER_START_DELAY_MS: String(options.taskWorkerStartDelayMs),
    }),
    MUNINN_SERVER_URL: options.serverUrl,
  };
}

function withPrefix(prefix: string, variables: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [prefix + name, value]));
}
