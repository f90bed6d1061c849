/**
 * What is known of clients: when they give up on a call, whether progress makes them wait longer, what they speak.
 *
 * The limits were measured with the clients' own defaults; an owner who has set others says so in the configuration.
 */
import { type ClientFinder, createClientFinder } from '../dialects/client-name.ts';
import { TaskError } from '../errors.ts';

/** What is known of one client. */
export interface Profile {
  /** When it gives up on a call, in ms; `null` for never. */
  readonly giveUpMs: number | null;
  /** Whether its clock begins anew with every progress notification. @default false */
  readonly progressResets?: boolean;
  /** Whether plain calls are answered as two-stage jobs. @default false */
  readonly jobs?: boolean;
  /**
   * Whether it knows two-stage jobs and no tool results: its plain calls are jobs, and whatever it gets is the bare
   * object. @default false
   */
  readonly bareJobs?: boolean;
  /** Whether it asks for 2025-11-25 tasks by itself, and so needs no tools to wait with. @default false */
  readonly tasks2025?: boolean;
  /**
   * Whether it asks for 2026-07-28 again when the `initialize` is refused that it sends because `server/discover` was
   * answered late. @default false
   */
  readonly rediscovers?: boolean;
}

/** Profiles by the name a client goes by. */
export type Profiles = Readonly<Record<string, Profile>>;

const MINUTE = 60_000;

/** The first one that matches counts. */
const KNOWN: Profiles = {
  'claude code': { giveUpMs: 5 * MINUTE, progressResets: true, rediscovers: true },
  'claude desktop': { giveUpMs: MINUTE },
  codex: { giveUpMs: 5 * MINUTE },
  copilot: { giveUpMs: 3 * MINUTE, progressResets: true },
  'visual studio code': { giveUpMs: null, tasks2025: true },
  gemini: { giveUpMs: 10 * MINUTE },
  opencode: { giveUpMs: MINUTE, progressResets: true },
  qwen: { giveUpMs: 5 * MINUTE, progressResets: true },
  cline: { giveUpMs: MINUTE },
  continue: { giveUpMs: MINUTE },
  cursor: { giveUpMs: MINUTE },
  windsurf: { giveUpMs: MINUTE },
  zed: { giveUpMs: MINUTE },
  chatgpt: { giveUpMs: MINUTE },
  'ai sdk': { giveUpMs: null },
  mcporter: { giveUpMs: MINUTE },
  inspector: { giveUpMs: MINUTE },
  langchain: { giveUpMs: MINUTE },
  'openai agents': { giveUpMs: MINUTE },
  mastra: { giveUpMs: MINUTE },
  'mcp use': { giveUpMs: MINUTE },
  wks: { giveUpMs: MINUTE, bareJobs: true },
};

/** Of a client that nothing is known of: the default of the SDKs. */
const UNKNOWN: Profile = { giveUpMs: MINUTE };

/** The table a server goes by: the owner's own profiles, the most important first, come before the known ones. */
export function withKnown(...own: readonly Profiles[]): Profiles {
  const table = new Map<string, Profile>();
  for (const [name, profile] of [...own, KNOWN].flatMap((profiles) => Object.entries(profiles))) {
    if (!table.has(name)) table.set(name, profile);
  }
  return Object.fromEntries(table);
}

// A table is made once per server, and asked several times per request.
const finders = new WeakMap<Profiles, ClientFinder>();

export function findProfile(profiles: Profiles, clientName: string | undefined): Profile {
  if (clientName === undefined) return UNKNOWN;
  const find = finders.get(profiles) ?? createClientFinder(Object.keys(profiles));
  finders.set(profiles, find);
  const known = find(clientName);
  return known === undefined ? UNKNOWN : (profiles[known] ?? UNKNOWN);
}

/** Checks profiles that somebody wrote; `where` is part of the complaint. */
export function parseProfiles(value: unknown, where: string): Profiles {
  if (!isRecord(value)) throw invalid(where, value, 'an object of profiles by client name');
  return Object.fromEntries(
    Object.entries(value).map(([name, profile]) => [name, parseProfile(profile, `${where}[${JSON.stringify(name)}]`)]),
  );
}

const FLAGS = ['progressResets', 'jobs', 'bareJobs', 'tasks2025', 'rediscovers'] as const;

function parseProfile(value: unknown, where: string): Profile {
  if (!isRecord(value)) throw invalid(where, value, 'an object with giveUpMs');
  const { giveUpMs } = value;
  const isTime = typeof giveUpMs === 'number' && Number.isFinite(giveUpMs) && giveUpMs > 0;
  if (giveUpMs !== null && !isTime) throw invalid(`${where}.giveUpMs`, giveUpMs, 'a number above 0, or null for never');
  for (const [field, flag] of Object.entries(value)) {
    if (field === 'giveUpMs') continue;
    if (!FLAGS.includes(field as never)) throw invalid(`${where}.${field}`, flag, `only giveUpMs, ${FLAGS.join(', ')}`);
    if (typeof flag !== 'boolean') throw invalid(`${where}.${field}`, flag, 'true or false');
  }
  return value as unknown as Profile;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function invalid(field: string, value: unknown, legal: string): TaskError {
  return new TaskError('INVALID_ARGUMENT', `${field} is ${JSON.stringify(value)}; legal is ${legal}`);
}
