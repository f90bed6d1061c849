/**
 * How important a file is: the priority of the nearest directory that has one, times a factor for every directory in between, for
 * leading underscores, and for the extension.
 */
import { dirname, extname } from 'node:path';
import type { PriorityConfig } from './config/config.ts';

export interface Priorities {
  /** Prepares the priorities of the files in one directory. */
  forDirectory(dir: string): (name: string) => number;
}

export function createPriorities({ dirs, weights }: PriorityConfig): Priorities {
  const byDir = new Map(Object.entries(dirs));
  const byExtension = new Map(Object.entries(weights.extension_weights));
  return {
    forDirectory(dir) {
      const inherited = toInherited(byDir, weights, dir);
      if (inherited === 0) return () => 0;
      return (name) => {
        const extension = extname(name);
        const stem = extension === '' ? name : name.slice(0, -extension.length);
        const hidden = stem.startsWith('_') ? toFactor(weights, stem) : 1;
        return inherited * hidden * (byExtension.get(extension) ?? 1);
      };
    },
  };
}

function toInherited(byDir: ReadonlyMap<string, number>, weights: PriorityConfig['weights'], dir: string): number {
  let factor = 1;
  for (let at = dir; ; at = dirname(at)) {
    const base = byDir.get(at);
    if (base !== undefined) return base * factor;
    if (at === '/') return 0;
    factor *= toFactor(weights, at.slice(at.lastIndexOf('/') + 1));
  }
}

/** The factor for one directory or file name on the path. */
function toFactor(weights: PriorityConfig['weights'], name: string): number {
  const underscores = name.length - name.replace(/^_+/, '').length;
  if (name === '_') return weights.depth_multiplier * weights.only_underscore_multiplier;
  return weights.depth_multiplier * weights.underscore_multiplier ** underscores;
}
