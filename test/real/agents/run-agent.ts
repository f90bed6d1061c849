/** Real agents, each run once to the end of its turn with a scripted model and MCP servers of ours. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { fetchCodex } from '../../../scripts/fetched/codex.mjs';
import { fetchOpencode } from '../../../scripts/fetched/opencode.mjs';
import { type AgentServers, MARK } from './agent-servers.ts';
import { toCodexConfig } from './codex-config.ts';
import { toProxies } from './loopback-api.ts';
import { OPENCODE_ENV, toOpencodeConfig } from './opencode-config.ts';
import { type Model, openModel } from './scripted-model.ts';

export interface AgentOptions extends AgentServers {
  readonly model: Model;
}

/** What came of a turn. */
export interface AgentRun {
  /** The tool results that the model was given. */
  readonly results: readonly string[];
  /** Hosts other than the model's that the agent wanted to reach. */
  readonly strangers: readonly string[];
  /** What the agent printed. */
  readonly printed: string;
}

/** Longer than any turn takes; an agent that does not end by itself is ended. */
const MAX_MS = 100_000;

export function runCodex(options: AgentOptions): Promise<AgentRun> {
  return runAgent(options, async (url, home) => {
    await writeFile(join(home, 'config.toml'), toCodexConfig(url, options));
    const args = ['exec', '--json', '--skip-git-repo-check', 'do the work'];
    return { command: await fetchCodex(), args, env: { CODEX_HOME: home } };
  });
}

export function runOpencode(options: AgentOptions): Promise<AgentRun> {
  return runAgent(options, async (url, home) => {
    await mkdir(join(home, 'work'));
    const config = join(home, 'opencode.json');
    await writeFile(config, JSON.stringify(toOpencodeConfig(url, options)));
    const args = ['run', '--format', 'json', '--model', 'loopback/stand-in', 'do the work'];
    return { command: await fetchOpencode(), args, env: { OPENCODE_CONFIG: config, ...OPENCODE_ENV } };
  });
}

interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

type Prepare = (url: string, home: string) => Promise<Program>;

async function runAgent({ model }: AgentOptions, prepare: Prepare): Promise<AgentRun> {
  const api = await openModel(model);
  const home = await mkdtemp(join(tmpdir(), 'holdfast-agent-'));
  try {
    const { command, args, env } = await prepare(api.url, home);
    const surroundings = { PATH: process.env.PATH, HOME: home, ...toProxies(api.url), ...MARK, ...env };
    const child = spawn(command, args, {
      cwd: home,
      env: surroundings,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: MAX_MS,
      killSignal: 'SIGKILL',
    });
    const closed = once(child, 'close');
    const [printed, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = (await closed) as [number | null];
    expect(code, `${printed}\n${complaints}`).toBe(0);
    return { results: api.results, strangers: api.strangers, printed };
  } finally {
    await api.close();
    await rm(home, { recursive: true, force: true });
  }
}
