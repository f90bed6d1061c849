/**
 * How real clients behave, as they were measured: what they say of themselves, when they give up, and what they do then.
 *
 * Measured in November 2026 with a scripted model on loopback; where `isRead` is set, read in the client's source or its
 * documents.
 */

/** One client, as it looks to a server. */
export interface RecordedClient {
  readonly name: string;
  readonly version: string;
  readonly clientInfo: { readonly name: string; readonly version: string };
  /**
   * - legacy: `initialize`, as revision `protocolVersion`.
   * - modern: `server/discover`, then every request for itself.
   */
  readonly era: 'legacy' | 'modern';
  readonly protocolVersion: string;
  readonly capabilities: { readonly [name: string]: object };
  /** Which tasks it takes by itself. */
  readonly tasks?: 'tasks-2025' | 'tasks-2026';
  /** Whether it knows two-stage jobs: an id at once, and the result by a notification. */
  readonly takesJobs?: boolean;
  readonly sendsProgressToken: boolean | 'uuid';
  /** When it gives up on a call by default; `null` for never. */
  readonly giveUpMs: number | null;
  readonly progressResets: boolean;
  /** The reason of the `notifications/cancelled` that it sends when it gives up; without, it sends none. */
  readonly cancelsWith?: string;
  /** What it answers to a question that it is asked: a person does, or the program itself, at once. */
  readonly answers?: 'person' | 'decline' | 'cancel';
  /** After how many equal calls in a row it stops its model. */
  readonly stopsAfterEqualCalls?: number;
  /** Whether it finds its tasks again after it was killed. */
  readonly resumesTasks?: boolean;
  /** The reason of the cancel that it sends when it is ended by its user; without, it just goes. */
  readonly diesWith?: string;
  /** Lists that it asks for whatever was declared. */
  readonly asksUninvited?: readonly string[];
  readonly isRead?: boolean;
}

const MINUTE = 60_000;
const SDK_TIMEOUT = 'McpError: MCP error -32001: Request timed out';
/** What an elicitation is declared with. */
const ASKABLE = { elicitation: { form: {} } };

const legacy = { era: 'legacy', protocolVersion: '2025-11-25', progressResets: false, capabilities: {} } as const;
const modern = { era: 'modern', protocolVersion: '2026-07-28', progressResets: false, capabilities: {} } as const;
/** Built on an SDK, with its defaults. */
const onSdk = { sendsProgressToken: false, giveUpMs: MINUTE, cancelsWith: SDK_TIMEOUT } as const;

/** Those that docs/clients.md tells of. */
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
    // The name that its user gave the server.
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

/** Everybody that a call can be made as. */
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
