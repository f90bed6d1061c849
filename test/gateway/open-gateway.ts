/** Gateways for tests, before servers that have nothing of ours. */
import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GatewayOptions, Upstream } from 'holdfast/gateway';
import { until } from 'holdfast/testing';
import { openSite, type Site, type SiteStore } from '../e2e/site.ts';
import { programPath } from '../programs/program-path.js';

export interface GatewaySite extends Site {
  /** Opens a gate that upstreams wait at. */
  open(gate: string): Promise<void>;
  /** Waits until an upstream has noted this. */
  untilNoted(line: string): Promise<void>;
}

/** How a foreign server is started; it finds gates in the directory and notes there what it does. */
export function foreign(program: string, ...args: string[]): (dir: string) => Upstream {
  const path = programPath(`${program}.js`);
  return (dir) => ({ command: process.execPath, args: [path, dir, ...args], passEnv: ['*'] });
}

type Upstreams = Readonly<Record<string, (dir: string) => Upstream>>;

/** A gateway before one server, or several by name. */
export async function openGateway(
  before: ((dir: string) => Upstream) | Upstreams,
  options: Omit<GatewayOptions, 'upstream' | 'upstreams'> = {},
  place: Pick<SiteStore, 'atEnd'> = {},
): Promise<GatewaySite> {
  const site = await openSite('gateway-server', programPath, place);
  const { dir } = site;
  const named = Object.entries(before).map(([name, make]) => [name, make(dir)] as const);
  const upstreams = typeof before === 'function' ? { upstream: before(dir) } : { upstreams: Object.fromEntries(named) };
  writeFileSync(join(dir, 'options.json'), JSON.stringify({ ...options, ...upstreams }));
  return {
    ...site,
    open: (gate) => writeFile(join(dir, `open-${gate}`), ''),
    untilNoted: async (line) => {
      await until(() => site.runs().includes(line), { what: `the note ${line}`, timeoutMs: 60_000 });
    },
  };
}
