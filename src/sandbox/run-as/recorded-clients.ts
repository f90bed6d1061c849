/**
 * The measured behaviour of real clients: how they identify themselves, when they time out, and what they do then.
 *
 * Measured in November 2026 with a scripted model on loopback. Where `isRead` is set, taken from the client's source or
 * documentation instead.
 */

/** One client, as a server sees it. */
export interface RecordedClient {
  readonly name: string;
  readonly version: string;
  readonly clientInfo: { readonly name: string; readonly version: string };
  /**
   * - legacy: `initialize`, with version `protocolVersion`.
   * - modern: `server/discover`, then self-contained requests.
   */
  readonly era: 'legacy' | 'modern';
  readonly protocolVersion: string;
  readonly capabilities: { readonly [name: string]: object };
  /** The kind of tasks it handles by itself. */
  readonly tasks?: 'tasks-2025' | 'tasks-2026';
  /** Whether it supports two-stage jobs: an id at once, and the result in a notification. */
  readonly takesJobs?: boolean;
  readonly sendsProgressToken: boolean | 'uuid';
  /** Its default timeout for a call, in ms; `null` for none. */
  readonly giveUpMs: number | null;
  readonly progressResets: boolean;
  /** The reason in the `notifications/cancelled` that it sends on a timeout; absent if it sends none. */
  readonly cancelsWith?: string;
  /** How it answers a question: through a person, or by itself at once. */
  readonly answers?: 'person' | 'decline' | 'cancel';
  /** After how many equal calls in a row it stops its model. */
  readonly stopsAfterEqualCalls?: number;
  /** Whether it resumes its tasks after it was killed. */
  readonly resumesTasks?: boolean;
  /** The reason in the cancel that it sends when its user quits it; absent if it sends none. */
  readonly diesWith?: string;
  /** Lists that it requests even if the server does not declare them. */
  readonly asksUninvited?: readonly string[];
  readonly isRead?: boolean;
}

const MINUTE = 60_000;
const SDK_TIMEOUT = 'McpError: MCP error -32001: Request timed out';
/** The capability of a client that can answer elicitations. */
const ASKABLE = { elicitation: { form: {} } };

const legacy = { era: 'legacy', protocolVersion: '2025-11-25', progressResets: false, capabilities: {} } as const;
const modern = { era: 'modern', protocolVersion: '2026-07-28', progressResets: false, capabilities: {} } as const;
/** A client built on an SDK, with its default settings. */
const onSdk = { sendsProgressToken: false, giveUpMs: MINUTE, cancelsWith: SDK_TIMEOUT } as const;

/** The clients that docs/clients.md describes. */
export const recordedClients: readonly RecordedClient[] = [
  {
    ...modern,
    name: 'Claude Code, interactive',
    version: '2.1.325',
    clientInfo: { name: 'claude-code', version: '2.1.325' },
    capabilities: { ...ASKABLE, roots: {} },
    tasks: 'tasks-2026',
    sendsProgressToken: true,
    giveUpMs: null,
    progressResets: true,
    answers: 'person',
    resumesTasks: true,
  },
  {
    ...modern,
    name: 'Claude Code, `-p`',
    version: '2.1.325',
    clientInfo: { name: 'claude-code', version: '2.1.325' },
    capabilities: { ...ASKABLE, roots: {} },
    sendsProgressToken: true,
    giveUpMs: 5 * MINUTE,
    progressResets: true,
    answers: 'cancel',
  },
  {
    ...legacy,
    name: 'Codex, `exec`',
    version: '0.166.0',
    clientInfo: { name: 'codex-mcp-client', version: '0.166.0' },
    protocolVersion: '2025-06-18',
    capabilities: { elicitation: {} },
    sendsProgressToken: true,
    giveUpMs: 5 * MINUTE,
    cancelsWith: 'MCP response future dropped',
    diesWith: 'MCP response future dropped',
    answers: 'decline',
  },
  {
    ...modern,
    name: 'Copilot CLI',
    version: '1.0.102',
    clientInfo: { name: 'github-copilot-developer', version: '1.0.102' },
    capabilities: ASKABLE,
    sendsProgressToken: true,
    giveUpMs: 3 * MINUTE,
    progressResets: true,
    cancelsWith: 'request timeout',
    answers: 'cancel',
  },
  {
    ...legacy,
    name: 'Gemini CLI',
    version: '0.61.0',
    clientInfo: { name: 'gemini-cli-mcp-client', version: '0.0.1' },
    protocolVersion: '2025-06-18',
    sendsProgressToken: 'uuid',
    giveUpMs: 10 * MINUTE,
    cancelsWith: SDK_TIMEOUT,
  },
  {
    ...legacy,
    name: 'opencode',
    version: '1.18.33',
    clientInfo: { name: 'opencode', version: '1.18.33' },
    sendsProgressToken: true,
    giveUpMs: MINUTE,
    progressResets: true,
    cancelsWith: SDK_TIMEOUT,
  },
  {
    ...legacy,
    name: 'Qwen Code',
    version: '0.24.4',
    clientInfo: { name: 'qwen-cli-mcp-client-reports', version: '0.0.1' },
    capabilities: { extensions: { 'io.modelcontextprotocol/ui': {} } },
    sendsProgressToken: true,
    giveUpMs: 5 * MINUTE,
    progressResets: true,
    cancelsWith: SDK_TIMEOUT,
    asksUninvited: ['prompts/list', 'resources/list'],
  },
  {
    ...legacy,
    ...onSdk,
    name: 'Continue `cn`',
    version: '1.5.47',
    clientInfo: { name: 'continue-client', version: '1.0.0' },
  },
  {
    ...legacy,
    name: 'Cline',
    version: '3.0.65',
    clientInfo: { name: 'Cline', version: '3.0.65' },
    protocolVersion: '2024-11-05',
    sendsProgressToken: false,
    giveUpMs: MINUTE,
    stopsAfterEqualCalls: 5,
  },
  {
    ...modern,
    ...onSdk,
    name: 'OpenAI Agents',
    version: '0.20.0',
    // The name that the user gave the server.
    clientInfo: { name: 'reports', version: '1.0.0' },
  },
  {
    ...modern,
    ...onSdk,
    name: 'Mastra',
    version: '2.0.0',
    clientInfo: { name: 'reports', version: '1.0.0' },
  },
  {
    ...legacy,
    ...onSdk,
    name: 'LangChain',
    version: '1.1.4',
    clientInfo: { name: '@langchain/mcp-adapters', version: '1.1.4' },
  },
  {
    ...modern,
    name: 'AI SDK',
    version: '2.0.93',
    clientInfo: { name: 'ai-sdk-mcp-client', version: '1.0.0' },
    sendsProgressToken: false,
    giveUpMs: null,
  },
  {
    ...legacy,
    ...onSdk,
    name: 'Inspector, `--cli`',
    version: '2.12.0',
    clientInfo: { name: 'inspector-cli', version: '2.12.0' },
  },
  {
    ...modern,
    ...onSdk,
    name: 'Inspector, `--protocol-era modern`',
    version: '2.12.0',
    clientInfo: { name: 'inspector-cli', version: '2.12.0' },
    capabilities: ASKABLE,
    tasks: 'tasks-2026',
    answers: 'person',
  },
  {
    ...legacy,
    name: 'mcporter',
    version: '0.12.3',
    clientInfo: { name: 'mcporter', version: '0.12.3' },
    sendsProgressToken: false,
    giveUpMs: MINUTE,
  },
  {
    ...legacy,
    name: 'VS Code',
    version: '2026-10',
    clientInfo: { name: 'Visual Studio Code', version: '1.130.0' },
    capabilities: { elicitation: {}, sampling: {}, roots: {} },
    tasks: 'tasks-2025',
    sendsProgressToken: true,
    giveUpMs: null,
    answers: 'person',
    isRead: true,
  },
  {
    ...legacy,
    name: 'Cursor',
    version: '2026-10',
    clientInfo: { name: 'cursor-vscode', version: '1.0.0' },
    protocolVersion: '2025-06-18',
    sendsProgressToken: true,
    giveUpMs: MINUTE,
    isRead: true,
  },
];

/** All clients that a call can be made as. */
export const playableClients: readonly RecordedClient[] = [
  ...recordedClients,
  {
    ...legacy,
    ...onSdk,
    name: 'Claude Desktop',
    version: '2026-10',
    clientInfo: { name: 'claude-ai', version: '0.1.0' },
    protocolVersion: '2025-06-18',
    isRead: true,
  },
  {
    ...legacy,
    name: 'WKS, two-stage jobs',
    version: '2025-12',
    clientInfo: { name: 'wks', version: '1.0.0' },
    protocolVersion: '2024-11-05',
    takesJobs: true,
    sendsProgressToken: false,
    giveUpMs: MINUTE,
    isRead: true,
  },
];

export function findPlayable(name: string): RecordedClient | undefined {
  return playableClients.find((client) => client.name === name);
}
