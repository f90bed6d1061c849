import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { programPath } from '../programs/program-path.js';
import type { AtEnd } from '../shared-rig.ts';
import {
  ACKNOWLEDGED,
  type Era,
  HANG_MS,
  INITIALIZE,
  isAnswer,
  type Outgoing,
  type Peer,
  type Seen,
  toDecline,
  toRequest,
  toRequestId,
  toText,
} from './peer.ts';

export const PROGRAM = programPath('wire-server.js');

/** A server of its own on stdio, with its first message sent. */
export async function openStdioPeer(era: Era, dir: string, atEnd: AtEnd = onTestFinished): Promise<Peer> {
  const child = spawn(process.execPath, ['--expose-gc', PROGRAM, dir], { stdio: ['pipe', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  atEnd(async () => {
    child.stdin.end();
    await gone;
  });
  let frames: Seen[] = [];
  let wake = () => {};
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => {
    frames.push(JSON.parse(line));
    wake();
  });
  const write = (message: unknown) => child.stdin.write(`${toText(message)}\n`);
  let answered = 0;
  const look = (isOver: () => boolean) => {
    for (const frame of frames.slice(answered)) {
      if (frame.method !== undefined && frame.id !== undefined) write(toDecline(frame));
    }
    answered = frames.length;
    return isOver();
  };
  const untilFrames = (isOver: () => boolean, what: () => string) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer to ${what()}`)), HANG_MS);
      const end = (error?: Error) => {
        clearTimeout(timer);
        child.off('exit', onExit);
        return error ? reject(error) : resolve();
      };
      const onExit = () => end(new Error(`the server died of ${what()}`));
      if (child.exitCode !== null) onExit();
      child.on('exit', onExit);
      wake = () => look(isOver) && end();
      wake();
    });

  let count = 0;
  const send = async ({ message }: Outgoing) => {
    frames = [];
    answered = 0;
    const good = toRequest(era, { id: `good:${count++}`, method: GOOD[era] });
    write(message);
    write(good);
    const seen = (id: unknown) => frames.some((frame) => isAnswer(frame, id));
    const id = toRequestId(message);
    const isOver = () => seen(good.id) && (id === undefined || seen(id));
    await untilFrames(isOver, () => JSON.stringify(message)?.slice(0, 2000));
    const next = frames.find((frame) => isAnswer(frame, good.id));
    if (!next?.result) throw new Error(`the request after it failed: ${JSON.stringify(next)}`);
    const rest = frames.filter((frame) => !isAnswer(frame, good.id));
    if (id !== undefined && rest.some(({ method }) => method === ACKNOWLEDGED)) {
      write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    }
    return rest;
  };
  const call: Peer['call'] = async (method, params) => {
    const request = toRequest(era, { id: `call:${count++}`, method, ...(params && { params }) });
    const found = (await send({ message: request })).find((frame) => isAnswer(frame, request.id));
    if (!found?.result) throw new Error(`${method} failed: ${JSON.stringify(found)}`);
    return found.result;
  };
  if (era === 'legacy') await call('initialize', INITIALIZE);
  else await call('server/discover');
  return { era, transport: 'stdio', send, call };
}

/** A request that is answered at once, whatever happened before. */
const GOOD = { legacy: 'ping', modern: 'tools/list' } as const;
