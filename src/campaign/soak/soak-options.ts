import { toChildEnvironment } from '../../process/child-environment.ts';
import type { Era, Transport } from './peers/connection.ts';
import type { HttpPlace } from './peers/http-connection.ts';
import type { SoakDatabase } from './store-view.ts';
import type { Workload } from './workload.ts';

/** Which server is soaked. */
export type Target =
  | {
      readonly kind: 'command';
      /** How reports call it. */
      readonly label: string;
      readonly stdio: readonly string[];
      /** The command line that serves HTTP and prints its URL. */
      readonly http: readonly string[];
      /** Variables that it gets beside the usual few and those of a soak; a star at the end stands for the rest. */
      readonly passEnv: readonly string[];
    }
  | { readonly kind: 'url'; readonly place: HttpPlace };

/** How `tasks/result` of the older era is to treat a task that has not ended; told to the server by its environment. */
export interface ResultModeSettings {
  readonly taskResultMode: string;
  readonly taskResultAutoRetryClients: string;
}

/** What a server of the system that soaks come from reads, beside the mode. Others ignore it. */
export interface BackendSettings {
  readonly serverUrl: string;
  readonly failureThreshold: number;
  readonly cooldownSec: number;
}

export interface SoakOptions extends ResultModeSettings, BackendSettings {
  readonly target: Target;
  readonly workload: Workload;
  /** Where the store of the server is, if it is in PostgreSQL. */
  readonly database?: SoakDatabase;
  /** Measured calls, at least. */
  readonly iterations: number;
  /** Calls before them that are not measured. */
  readonly warmupRequests: number;
  readonly timeoutMs: number;
  readonly transport: Transport;
  readonly era: Era;
  readonly maxP95Ms: number;
  /** The run goes on at least so long. */
  readonly durationMs?: number | undefined;
  readonly probeNonterminalTaskResult: boolean;
  readonly taskWorkerStartDelayMs: number;
  readonly injectMalformedFrame: boolean;
  /** Kill the server in the middle of a call; only one that was started here. */
  readonly killServer: boolean;
  /** Kill the worker of a Holdfast server in the middle of a call. */
  readonly killWorker: boolean;
  /** @default 1.1, judged only in a run that is long enough */
  readonly maxDrift?: number | undefined;
  /** How long the store of the soak keeps what has ended. */
  readonly keepMs: number;
  /** Stops the run; its report tells what was measured until then. */
  readonly signal?: AbortSignal | undefined;
  /** Told after every call how far it is, 0..1. */
  readonly onProgress?: ((part: number, message: string) => void) | undefined;
}

/** What every program may need; more is passed on by name only: there are keys in a shell. */
const USUAL_VARIABLES = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'TMPDIR'];

/** The environment of a server whose stores are to lie in this directory. */
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
    // A store of its own: a soak neither fills nor kills what is in real use.
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
