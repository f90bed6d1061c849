import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Call, Host, HostOptions, HttpSpec, ServerSpec } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { onTestFinished } from 'vitest';
import { isAlive, type ProcessRef } from '../../../src/process/process-ref.ts';
import { startProgram } from '../../crash/judge.ts';
import { type Desk, openDesk } from '../open-host.ts';

export interface KeptDesk extends Desk {
  /** Starts a process that makes one call, and is killed at a point, or when the server has the call. */
  killHost(tool: string, gate: string, point?: string): Promise<void>;
  /** The keepers that run. */
  keepers(): ProcessRef[];
  killKeeper(): Promise<void>;
  /** A host that is connected to the server. */
  open(gate: string): Promise<void>;
  /** The next host, with the calls that it took up; `before` is done when it has them and is not connected yet. */
  next(
    options?: HostOptions,
    before?: (calls: readonly Call[]) => void,
  ): Promise<{ readonly host: Host; readonly calls: Call[] }>;
  /** How often the server was given the call. */
  runs(line: string): number;
}

/** A desk with a server made by hand, which is held by a keeper. */
export async function openKept(): Promise<KeptDesk> {
  const desk = await openDesk();
  return withKeeper(desk, desk.command('handmade-server', desk.dir));
}

/** A desk with a server over HTTP, whose calls are held by a keeper. */
export async function openKeptHttp(era: 'older' | 'newer'): Promise<KeptDesk & { readonly spec: HttpSpec }> {
  const desk = await openDesk();
  const { child, ended } = startProgram('plain-http-server', [desk.dir, era]);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const [line] = await once(child.stdout, 'data');
  const spec = { url: String(line).trim(), headers: { authorization: 'Bearer sk-kept' } };
  return { ...withKeeper(desk, spec), spec };
}

/** Resolves when no keeper is there any more. */
export async function untilOver(desk: KeptDesk): Promise<void> {
  await until(() => desk.keepers().length === 0, { what: 'the end of the keeper', timeoutMs: 60_000 });
}

function withKeeper(desk: Desk, spec: ServerSpec): KeptDesk {
  const keepers = () => listKeepers(join(dirname(desk.ledger), 'keepers')).filter((ref) => isAlive(ref) === true);
  const runs = (line: string) => desk.notes().filter((one) => one === line).length;
  return {
    ...desk,
    keepers,
    runs,
    async killHost(tool, gate, point) {
      const { child, ended } = startProgram('host-of-made', [
        desk.ledger,
        JSON.stringify(spec),
        tool,
        gate,
        ...(point ? [point] : []),
      ]);
      if (point === undefined) {
        await desk.untilNoted(`${tool} ${gate}`);
        child.kill('SIGKILL');
      }
      const { signal, stdout, stderr } = await ended;
      if (signal !== 'SIGKILL') throw new Error(`the host was not killed: ${stdout}${stderr}`);
    },
    async killKeeper() {
      const refs = keepers();
      if (refs.length !== 1) throw new Error(`expected one keeper, found ${refs.length}`);
      for (const { pid } of refs) process.kill(pid, 'SIGKILL');
      await until(() => keepers().length === 0, { what: 'the end of the keeper' });
    },
    async next(options, before) {
      const host = await desk.host(options);
      const calls = await host.resume();
      before?.(calls);
      await host.connect('made', spec);
      return { host, calls };
    },
  };
}

function listKeepers(directory: string): ProcessRef[] {
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith('.json'));
    return names.map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')).process);
  } catch {
    return [];
  }
}
