/**
 * Every client that was recorded, played message by message against a whole server: what it gets, when it is handed
 * over, how a question reaches a person, and what happens when it dies. docs/clients.md shows the same as a table, which
 * `npm run clients` writes anew.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Story } from '../../src/sandbox/run-as/play.ts';
import { recordedClients } from '../../src/sandbox/run-as/recorded-clients.ts';
import { type ClientStory, playClient } from './client-story.ts';
import { openStage } from './stage.ts';
import { readTable, toTable, writeTable } from './table.ts';

const names = recordedClients.map(({ name }) => name);
const stories = new Map<string, PromiseSettledResult<ClientStory>>();

beforeAll(async () => {
  const stage = await openStage();
  const playing = Promise.allSettled(recordedClients.map((client) => playClient(stage, client)));
  for (const [index, story] of (await stage.clock.drive(playing)).entries()) stories.set(names[index] ?? '', story);
  await stage.close();
});

function storyOf(name: string): ClientStory {
  const story = stories.get(name);
  if (story?.status === 'fulfilled') return story.value;
  throw story?.reason;
}

describe('what a client gets', () => {
  it.each(names)('[HOSTS-345] %s: the result of a tool of 5 s, 90 s and 310 s, which ran once', (name) => {
    for (const [seconds, { end, text, runs }] of storyOf(name).calls) {
      expect(runs, `${seconds} s`).toBe(1);
      expect({ end, text }).toEqual({ end: 'result', text: `worked ${seconds} s` });
    }
  });
});

describe('the hand-over', () => {
  it.each(names)('[HOSTS-346] %s: comes before the client gives up, and asks for no more than it must', (name) => {
    const { client, calls } = storyOf(name);
    for (const { end, handedOver, furtherCalls, polls } of calls.values()) {
      expect(end).not.toBe('gave up');
      if (handedOver) expect(handedOver.at * 1000).toBeLessThan(client.giveUpMs ?? Number.POSITIVE_INFINITY);
      expect(furtherCalls).toBeLessThan(10);
      expect(polls).toBeLessThan(60);
    }
  });
});

describe('a question', () => {
  it.each(names)('[HOSTS-347] %s: reaches a person, and the answer reaches the tool', (name) => {
    const { question } = storyOf(name);
    expect(question.runs).toBe(1);
    expect(question.text).toBe('sure: true');
  });
});

describe('a client that dies', () => {
  it.each(names)('[HOSTS-348] %s: loses nothing that it comes back for, nor what was handed over', (name) => {
    const { client, death } = storyOf(name);
    if (client.tasks !== undefined) expect(death.left.status).toBe('completed');
    if (death.handedOver) expect(death.handedOver).toBe('completed');
    if (death.back) expectBack(death.back);
  });

  function expectBack(back: Story & { runs: number }): void {
    // It may say that it is the result of the call before.
    expect(back.text.split('\n')[0]).toBe('worked 310 s');
    expect(back.runs).toBe(1);
  }
});

describe('docs/clients.md', () => {
  it('[HOSTS-349] says what was seen of every client', async () => {
    const table = toTable(names.map(storyOf));
    if (process.env.HOLDFAST_WRITE_CLIENTS === '1') await writeTable(table);
    expect(await readTable(), 'npm run clients writes the table anew').toBe(table);
  });
});
