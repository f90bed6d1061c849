/** A server that an agent has in its configuration. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSite } from '../../e2e/site.ts';
import type { Entry } from '../agents/agent-servers.ts';
import type { Model } from '../agents/scripted-model.ts';

export interface Hosted {
  readonly entry: Entry;
  /** What tools noted, one line per run. */
  runs(): string[];
  /** Plays a model; what is being built is ready when that has been given so many results. */
  builtAfter(results: number, model: Model): Model;
}

export async function openHosted(options: object = {}): Promise<Hosted> {
  const { dir, command, runs } = await openSite('hosted-server');
  writeFileSync(join(dir, 'options.json'), JSON.stringify(options));
  return {
    entry: command,
    runs,
    builtAfter: (count, model) => (results) => {
      if (results.length === count) writeFileSync(join(dir, 'built'), '');
      return model(results);
    },
  };
}

/** Long for what is answered at once. */
export const PATIENT_MS = 60_000;
