/**
 * What is known of clients: when they give up on a call, whether progress makes them wait longer, what they speak.
 *
 * The limits were measured with the clients' own defaults; an owner who has set others says so in the configuration.
 */

import type { Profile } from '../../dialects/server-port.ts';
import { type ClientFinder, createClientFinder } from '../../dialects/shared/client-name.ts';
import { invalidField } from '../../invalid-field.ts';
import { MAX_LEAVE_REASONS, MAX_REASON_LENGTH } from '../../limits.ts';
import { hasSigns, type Showing, type Signs } from './client-signs.ts';

/** One of ours: what it allows beyond the default, it allows only to who shows more than a name. */
interface KnownProfile extends Profile {
  readonly signs?: Signs;
}

/** Profiles by the name a client goes by. */
export type Profiles = Readonly<Record<string, Profile>>;

const MINUTE = 60_000;

const ANY = /^/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
// What clients report that leave their own version out: OpenAI Agents and Mastra for two.
const OWN_VERSION = /^(?!1\.0\.0$)\d/;

/** The first one that matches counts. */
const KNOWN: Readonly<Record<string, KnownProfile>> = {
  'claude code': {
    giveUpMs: 5 * MINUTE,
    progressResets: true,
    prefixesTools: true,
    rediscovers: true,
    signs: { protocols: ['2026-07-28', '2025-11-25'], version: OWN_VERSION, token: ANY },
  },
  'claude desktop': { giveUpMs: MINUTE },
  codex: {
    giveUpMs: 5 * MINUTE,
    prefixesTools: true,
    // On its own time-out and on Ctrl-C alike.
    leaveReasons: ['MCP response future dropped'],
    signs: { protocols: ['2025-06-18'], token: ANY },
  },
  copilot: {
    giveUpMs: 3 * MINUTE,
    progressResets: true,
    prefixesTools: true,
    signs: { protocols: ['2026-07-28'], capabilities: ['elicitation'], token: ANY },
  },
  'visual studio code': {
    giveUpMs: null,
    tasks2025: true,
    prefixesTools: true,
    signs: { capabilities: ['roots', 'sampling'] },
  },
  gemini: { giveUpMs: 10 * MINUTE, prefixesTools: true, signs: { protocols: ['2025-06-18'], token: UUID } },
  opencode: {
    giveUpMs: MINUTE,
    progressResets: true,
    prefixesTools: true,
    signs: { protocols: ['2025-11-25'], version: OWN_VERSION, token: ANY },
  },
  qwen: {
    giveUpMs: 5 * MINUTE,
    progressResets: true,
    prefixesTools: true,
    signs: { protocols: ['2025-11-25'], version: OWN_VERSION, token: ANY },
  },
  cline: { giveUpMs: MINUTE, prefixesTools: true },
  continue: { giveUpMs: MINUTE },
  cursor: { giveUpMs: MINUTE, prefixesTools: true },
  windsurf: { giveUpMs: MINUTE, prefixesTools: true },
  zed: { giveUpMs: MINUTE },
  chatgpt: { giveUpMs: MINUTE },
  'ai sdk': { giveUpMs: null, signs: { probes: true } },
  mcporter: { giveUpMs: MINUTE, prefixesTools: true },
  inspector: { giveUpMs: MINUTE, prefixesTools: true },
  langchain: { giveUpMs: MINUTE },
  'openai agents': { giveUpMs: MINUTE },
  mastra: { giveUpMs: MINUTE, prefixesTools: true },
  'mcp use': { giveUpMs: MINUTE },
  wks: { giveUpMs: MINUTE, bareJobs: true },
};

/** Of a client that nothing is known of: the default of the SDKs. */
const UNKNOWN: Profile = { giveUpMs: MINUTE };

/** The table a server goes by: the owner's own profiles, the most important first, come before the known ones. */
export function withKnown(...own: readonly Profiles[]): Profiles {
  const table = new Map<string, Profile>();
  for (const [name, profile] of own.flatMap((profiles) => Object.entries(profiles))) {
    if (!table.has(name)) table.set(name, withKnownHabits(name, profile));
  }
  for (const [name, profile] of Object.entries(KNOWN)) if (!table.has(name)) table.set(name, profile);
  return Object.fromEntries(table);
}

/** An owner who sets a client's limits need not know with which words it cancels, nor how it names tools. */
function withKnownHabits(name: string, profile: Profile): Profile {
  const { leaveReasons = [], prefixesTools } = findProfile(KNOWN, name);
  return {
    ...(prefixesTools !== undefined && { prefixesTools }),
    ...profile,
    ...(leaveReasons.length > 0 && { leaveReasons: [...(profile.leaveReasons ?? []), ...leaveReasons] }),
  };
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

/** The same for a request: who does not show that it is what it calls itself gets no more than the default. */
export function findShownProfile(profiles: Profiles, showing: Showing): Profile {
  const profile: KnownProfile = findProfile(profiles, showing.caller.client?.name);
  if (!profile.signs || hasSigns(profile.signs, showing)) return profile;
  const giveUpMs = Math.min(profile.giveUpMs ?? MINUTE, MINUTE);
  return { ...profile, giveUpMs, progressResets: false, tasks2025: false };
}

/** Checks profiles that somebody wrote; `where` is part of the complaint. */
export function parseProfiles(value: unknown, where: string): Profiles {
  if (!isRecord(value)) throw invalidField(where, value, 'an object of profiles by client name');
  return Object.fromEntries(
    Object.entries(value).map(([name, profile]) => [name, parseProfile(profile, `${where}[${JSON.stringify(name)}]`)]),
  );
}

const FLAGS = ['progressResets', 'jobs', 'bareJobs', 'tasks2025', 'prefixesTools', 'headless', 'rediscovers'] as const;
const LEGAL = `only giveUpMs, leaveReasons, ${FLAGS.join(', ')}`;
const REASONS = `a list of up to ${MAX_LEAVE_REASONS} texts of 1 to ${MAX_REASON_LENGTH} characters`;

function parseProfile(value: unknown, where: string): Profile {
  if (!isRecord(value)) throw invalidField(where, value, 'an object with giveUpMs');
  const { giveUpMs } = value;
  const isTime = typeof giveUpMs === 'number' && Number.isFinite(giveUpMs) && giveUpMs > 0;
  if (giveUpMs !== null && !isTime)
    throw invalidField(`${where}.giveUpMs`, giveUpMs, 'a number above 0, or null for never');
  const { giveUpMs: _, leaveReasons, ...flags } = value;
  if (leaveReasons !== undefined && !areReasons(leaveReasons)) {
    throw invalidField(`${where}.leaveReasons`, leaveReasons, REASONS);
  }
  for (const [field, flag] of Object.entries(flags)) {
    if (!FLAGS.includes(field as never)) throw invalidField(`${where}.${field}`, flag, LEGAL);
    if (typeof flag !== 'boolean') throw invalidField(`${where}.${field}`, flag, 'true or false');
  }
  return value as unknown as Profile;
}

function areReasons(value: unknown): boolean {
  // An empty one would be part of every reason.
  const isReason = (one: unknown) => typeof one === 'string' && one.trim() !== '' && one.length <= MAX_REASON_LENGTH;
  return Array.isArray(value) && value.length <= MAX_LEAVE_REASONS && value.every(isReason);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
