/**
 * What is known of clients: when they give up on a call, whether progress makes them wait longer, what they speak.
 *
 * The limits were measured with the clients' own defaults; an owner who has set others says so in the configuration.
 */

import { z } from 'zod';
import type { Profile } from '../../dialects/server-port.ts';
import { type ClientFinder, createClientFinder } from '../../dialects/shared/client-name.ts';
import { invalidField } from '../../invalid-field.ts';
import { isObject } from '../../is-object.ts';
import { MAX_LEAVE_REASONS, MAX_REASON_LENGTH } from '../../limits.ts';
import { flag, value } from '../../options/option-schemas.ts';
import { type OptionsShape, optionsParser } from '../../options/options-parser.ts';
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
  if (!isObject(value)) throw invalidField(where, value, 'an object of profiles by client name');
  const profiles = Object.entries(value).map(([name, profile]) => {
    parseProfile(profile, { field: `${where}[${JSON.stringify(name)}]` });
    return [name, profile as Profile];
  });
  return Object.fromEntries(profiles);
}

const REASONS = `a list of up to ${MAX_LEAVE_REASONS} texts of 1 to ${MAX_REASON_LENGTH} characters`;

const parseProfile = optionsParser(() => {
  const fields = {
    giveUpMs: value<number | null>('a number above 0, or null for never', isGiveUp),
    leaveReasons: value<readonly string[]>(REASONS, areReasons).optional(),
    progressResets: flag().optional(),
    jobs: flag().optional(),
    bareJobs: flag().optional(),
    tasks2025: flag().optional(),
    prefixesTools: flag().optional(),
    headless: flag().optional(),
    rediscovers: flag().optional(),
  } satisfies OptionsShape<Profile>;
  const nothing = value(`only ${Object.keys(fields).join(', ')}`, () => false);
  return z.object(fields, 'an object with giveUpMs').catchall(nothing);
});

function isGiveUp(value: unknown): boolean {
  return value === null || (Number.isFinite(value) && (value as number) > 0);
}

function areReasons(value: unknown): boolean {
  // An empty one would be part of every reason.
  const isReason = (one: unknown) => typeof one === 'string' && one.trim() !== '' && one.length <= MAX_REASON_LENGTH;
  return Array.isArray(value) && value.length <= MAX_LEAVE_REASONS && value.every(isReason);
}
