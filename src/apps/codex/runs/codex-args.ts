import type { CodexSettings } from '../codex-options.ts';

export interface RunPlace {
  /** The thread to resume; empty for a new one. */
  readonly threadId: string;
  /** Directories it may write to in addition to its working directory. */
  readonly additional: readonly string[];
  /** Directories for temporary files to exclude from the workspace, by their names in Codex's config. */
  readonly closed: readonly string[];
}

/**
 * Returns the arguments of `codex`, which is started in its working directory; the prompt goes to its stdin.
 *
 * The directory is given as `.`: Codex would resolve a path again, and might find another directory there.
 */
export function toCodexArgs(settings: CodexSettings, { threadId, additional, closed }: RunPlace): string[] {
  const { model, sandboxMode, skipGitRepoCheck } = settings;
  return [
    'exec',
    '--json',
    ...(model === null ? [] : ['--model', model]),
    '--sandbox',
    sandboxMode,
    '--cd',
    '.',
    ...additional.flatMap((directory) => ['--add-dir', directory]),
    ...(skipGitRepoCheck ? ['--skip-git-repo-check'] : []),
    ...toConfigArgs(settings),
    ...closed.flatMap((name) => ['--config', `sandbox_workspace_write.${name}=true`]),
    ...(threadId === '' ? [] : ['resume', '--', threadId]),
  ];
}

/** The options as shown in the state file. */
export function toRunOptions(settings: CodexSettings, workingDirectory: string) {
  const { model, modelReasoningEffort, sandboxMode, approvalPolicy, skipGitRepoCheck } = settings;
  const { experimentalWindowsSandboxEnabled, networkAccessEnabled, webSearchEnabled } = settings;
  return {
    model,
    modelReasoningEffort,
    workingDirectory,
    sandboxMode,
    approvalPolicy,
    experimentalWindowsSandboxEnabled,
    networkAccessEnabled,
    webSearchEnabled,
    skipGitRepoCheck,
  };
}

function toConfigArgs(settings: CodexSettings): string[] {
  const values = {
    model_reasoning_effort: settings.modelReasoningEffort,
    'features.experimental_windows_sandbox': settings.experimentalWindowsSandboxEnabled,
    'sandbox_workspace_write.network_access': settings.networkAccessEnabled,
    'features.web_search_request': settings.webSearchEnabled,
    approval_policy: settings.approvalPolicy,
  };
  return Object.entries(values).flatMap(([key, value]) =>
    value === null ? [] : ['--config', `${key}=${JSON.stringify(value)}`],
  );
}
