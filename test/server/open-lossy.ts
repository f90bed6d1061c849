/** A server that counts how often its tool runs, and a way to it that loses the answers it is told to. */
import type { ServerOptions, ServerTool } from 'holdfast';
import { z } from 'zod';
import { type Cut, openCuttingProxy } from './cutting-proxy.ts';
import { openHttp } from './open-http.ts';
import { callModern, type Heard, openPlain, textOf } from './plain-client.ts';

export const ERAS = ['legacy', 'modern'] as const;
export type Era = (typeof ERAS)[number];

/** Calls the tool; rejects when the answer is lost. */
export type Call = (of: string, meta?: Readonly<Record<string, unknown>>) => Promise<Heard>;

export async function openLossy(options: Partial<ServerOptions> = {}, tool: Partial<ServerTool> = {}) {
  const rig = await openHttp();
  const runs: string[] = [];
  const url = await rig.serve(options, (server) => {
    server.tool('count', {
      input: z.object({ of: z.string() }),
      run({ of }) {
        runs.push(of);
        return `${of} ${runs.length}`;
      },
      ...(tool as object),
    });
  });
  const cuts: Cut[] = [];
  const proxy = await openCuttingProxy(url, () => cuts.shift() ?? 'pass');
  return { rig, url, proxy, cuts, runs };
}

export async function connect(url: string, era: Era): Promise<Call> {
  if (era === 'modern') return (of, meta = {}) => callModern(url, 'count', { args: { of }, meta });
  const client = await openPlain(url);
  return (of, meta = {}) => client.call('count', { of }, { meta });
}

/** Calls until there is an answer; its text. */
export async function insist(call: Call, of: string): Promise<string> {
  for (;;) {
    const heard = await call(of).catch(() => undefined);
    if (heard) return textOf(heard);
  }
}

/** The same numbers every time. */
export function createDice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % sides;
  };
}
