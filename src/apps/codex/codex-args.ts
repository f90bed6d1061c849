import type { CodexSettings } from './codex-options.ts';

export interface RunPlace {
  readonly workingDirectory: string;
  /** The thread to go on with; empty for a new one. */
  readonly threadId: string;
}

/** The arguments of `codex`; the prompt goes to its stdin. */
export function toCodexArgs(settings: CodexSettings, { workingDirectory, threadId }: RunPlace): string[] {
  const { model, sandboxMode, additionalDirectories, skipGitRepoCheck } = settings;
  return [
    'exec',
    '--json',
    ...(model === null ? [] : ['--model', model]),
    '--sandbox',
    sandboxMode,
    '--cd',
    workingDirectory,
    ...additionalDirectories.flatMap((directory) => ['--add-dir', directory]),
    ...(skipGitRepoCheck ? ['--skip-git-repo-check'] : []),
    ...toConfigArgs(settings),
    ...(threadId === '' ? [] : ['resume', threadId]),
  ];
}

/** The options as the state file shows them. */
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
