import type { Task } from 'holdfast';
import { openPeer } from '../../src/sandbox/run-as/peer.ts';
import { playCall, playResumed, type Story } from '../../src/sandbox/run-as/play.ts';
import type { RecordedClient } from '../../src/sandbox/run-as/recorded-clients.ts';
import type { Stage } from './stage.ts';

export const SECONDS = [5, 90, 310] as const;

/** All that was seen of one client. */
export interface ClientStory {
  readonly client: RecordedClient;
  /** Of a tool that takes so many seconds. */
  readonly calls: ReadonlyMap<number, Story & { readonly runs: number }>;
  readonly question: Story & { readonly runs: number };
  readonly death: DeathStory;
}

export interface DeathStory {
  /** What became of a call whose client died after 30 s, and how many s later. */
  readonly left: { readonly status: Task['status']; readonly afterSeconds: number };
  /** What the same client got when it came back a minute later; nothing where it would not. */
  readonly back?: Story & { readonly runs: number };
  /** What became of a call whose client died after it had been handed over; nothing where there is no hand-over. */
  readonly handedOver?: Task['status'];
}

const LONG = 310;
const LIVES_MS = 30_000;
const AWAY_MS = 60_000;
const LINGERS_MS = 5000;
// When all has ended, however it does.
const OVER_MS = 600_000;

/** Plays a client through all that can happen to it; time passes for everybody on the stage. */
export async function playClient(stage: Stage, client: RecordedClient): Promise<ClientStory> {
  const [calls, question, left, back, handedOver] = await Promise.all([
    Promise.all(SECONDS.map(async (seconds) => [seconds, await playWork(stage, client, seconds)] as const)),
    playQuestion(stage, client),
    playLeft(stage, client),
    playBack(stage, client),
    playHandedOver(stage, client),
  ]);
  const death = { left, ...(back && { back }), ...(handedOver && { handedOver }) };
  return { client, calls: new Map(calls), question, death };
}

async function playWork(stage: Stage, client: RecordedClient, seconds: number) {
  const label = `${client.name} ${seconds}`;
  const story = await playCall(await openPeer(stage, client), { name: 'work', args: { seconds, label } });
  return { ...story, runs: stage.countRuns(label) };
}

async function playQuestion(stage: Stage, client: RecordedClient) {
  const label = `${client.name} asks`;
  const story = await playCall(await openPeer(stage, client), { name: 'confirm', args: { label } });
  return { ...story, runs: stage.countRuns(label) };
}

/** Dies in the middle of a call and never comes back. */
async function playLeft(stage: Stage, client: RecordedClient): Promise<DeathStory['left']> {
  const label = `${client.name} left`;
  const diedAt = await callAndDie(stage, client, label);
  await stage.clock.elapse(OVER_MS);
  const { status, endedAt = Number.NaN } = await stage.findTask(label);
  return { status, afterSeconds: Math.round((endedAt - diedAt) / 1000) };
}

/** Dies in the middle of a call and comes back a minute later. */
async function playBack(stage: Stage, client: RecordedClient): Promise<DeathStory['back']> {
  if (client.tasks !== undefined && client.resumesTasks !== true) return undefined;
  const label = `${client.name} back`;
  await callAndDie(stage, client, label);
  await stage.clock.elapse(AWAY_MS);
  const peer = await openPeer(stage, client);
  const { taskId } = await stage.findTask(label);
  const call = { name: 'work', args: { seconds: LONG, label } };
  const story = await (client.resumesTasks ? playResumed(peer, taskId) : playCall(peer, call));
  return { ...story, runs: stage.countRuns(label) };
}

async function playHandedOver(stage: Stage, client: RecordedClient): Promise<DeathStory['handedOver']> {
  const label = `${client.name} handed over`;
  const peer = await openPeer(stage, client);
  const dying = new Promise<boolean>((resolve) => {
    const die = () => stage.clock.elapse(LINGERS_MS).then(() => peer.die());
    const call = { name: 'work', args: { seconds: LONG, label } };
    const playing = playCall(peer, call, { onHandOver: () => void die().then(() => resolve(true)) });
    playing.then(() => resolve(false)).catch(() => {});
  });
  if (!(await dying)) return undefined;
  await stage.clock.elapse(OVER_MS);
  return (await stage.findTask(label)).status;
}

/** When it died. */
async function callAndDie(stage: Stage, client: RecordedClient, label: string): Promise<number> {
  const peer = await openPeer(stage, client);
  // Whatever it hears after its death is nobody's affair.
  playCall(peer, { name: 'work', args: { seconds: LONG, label } }).catch(() => {});
  await stage.clock.elapse(LIVES_MS);
  await peer.die();
  return stage.clock.now();
}
