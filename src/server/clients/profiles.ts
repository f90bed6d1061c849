/**
 * What is known of clients: their timeouts, whether progress resets those, which dialects they speak.
 *
 * The timeouts were measured with the clients' defaults; an owner who changed them says so in the configuration.
 */

import { z } from 'zod';
import type { Profile } from '../../dialects/server-port.ts';
import { type ClientFinder, createClientFinder } from '../../dialects/shared/client-name.ts';
import { invalidField } from '../../invalid-field.ts';
import { isObject } from '../../is-object.ts';
import { MAX_LEAVE_REASONS, MAX_REASON_LENGTH } from '../../limits.ts';
import { flag, value } from '../../options/option-schemas.ts';
import { type OptionsShape, optionsParser } from '../../options/options-parser.ts';
import { hasSigns, type SignSource, type Signs } from './client-signs.ts';

/** A built-in profile: what it allows beyond the default, it allows only to clients that show its signs. */
interface KnownProfile extends Profile {
  readonly signs?: Signs;
}

/** Client profiles, by client name. */
export type Profiles = Readonly<Record<string, Profile>>;

const MINUTE = 60_000;

const ANY = /^/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
// Not 1.0.0, which clients report that leave out their own version, for example OpenAI Agents and Mastra.
const OWN_VERSION = /^(?!1\.0\.0$)\d/;

/** The first match counts. */
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
    // Sent both on its own timeout and on Ctrl-C.
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

/** For unknown clients: the default of the SDKs. */
const UNKNOWN: Profile = { giveUpMs: MINUTE };

/** Merges the profiles that a server uses: the owner's, in order of priority, override the built-in ones. */
export function withKnownProfiles(...own: readonly Profiles[]): Profiles {
  const table = new Map<string, Profile>();
  for (const [name, profile] of own.flatMap((profiles) => Object.entries(profiles))) {
    if (!table.has(name)) table.set(name, withKnownHabits(name, profile));
  }
  for (const [name, profile] of Object.entries(KNOWN)) if (!table.has(name)) table.set(name, profile);
  return Object.fromEntries(table);
}

/** Adds known cancel reasons and tool naming, so that an owner who sets a client's limits need not know them. */
function withKnownHabits(name: string, profile: Profile): Profile {
  const { leaveReasons = [], prefixesTools } = findProfile(KNOWN, name);
  return {
    ...(prefixesTools !== undefined && { prefixesTools }),
    ...profile,
    ...(leaveReasons.length > 0 && { leaveReasons: [...(profile.leaveReasons ?? []), ...leaveReasons] }),
  };
}

// A profile table is built once per server, and searched several times per request.
const finders = new WeakMap<Profiles, ClientFinder>();

export function findProfile(profiles: Profiles, clientName: string | undefined): Profile {
  if (clientName === undefined) return UNKNOWN;
  const find = finders.get(profiles) ?? createClientFinder(Object.keys(profiles));
  finders.set(profiles, find);
  const known = find(clientName);
  return known === undefined ? UNKNOWN : (profiles[known] ?? UNKNOWN);
}

/** Like `findProfile`, for a request: a client that does not show its profile's signs gets no more than the default. */
export function findShownProfile(profiles: Profiles, showing: SignSource): Profile {
  const profile: KnownProfile = findProfile(profiles, showing.caller.client?.name);
  if (!profile.signs || hasSigns(profile.signs, showing)) return profile;
  const giveUpMs = Math.min(profile.giveUpMs ?? MINUTE, MINUTE);
  return { ...profile, giveUpMs, progressResets: false, tasks2025: false };
}

/** Validates profiles of a configuration; `where` prefixes the errors. */
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
  // An empty text would match every reason.
  const isReason = (one: unknown) => typeof one === 'string' && one.trim() !== '' && one.length <= MAX_REASON_LENGTH;
  return Array.isArray(value) && value.length <= MAX_LEAVE_REASONS && value.every(isReason);
}
