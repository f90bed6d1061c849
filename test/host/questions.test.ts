import type { HostQuestion } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openSite } from '../e2e/site.ts';
import { openDesk, textOf } from './open-host.ts';

describe('questions', () => {
  it('[HOST-18] that were answered are not asked again after a restart, and open ones are', async () => {
    const desk = await openDesk();
    const site = await openSite();
    const spec = desk.command('reports-server', site.dir);
    const asked: string[] = [];
    const answer = ({ params }: HostQuestion) => {
      const message = String(params?.message);
      asked.push(message);
      if (message === 'Where?' && asked.length < 3) return new Promise<never>(() => {});
      return { action: 'accept', content: { name: 'Ada', place: 'Turin' } };
    };
    const first = await desk.host({ onQuestion: answer });
    await first.connect('reports', spec);
    await first.call('reports', 'sign');
    await until(() => asked.length === 2, { what: 'both questions' });
    await until(async () => JSON.stringify((await site.tasks.list({})).tasks[0]?.questions).includes('Ada'), {
      what: 'the first answer',
    });
    await first.close();
    const second = await desk.host({ onQuestion: answer });
    const [call] = await second.resume();
    await second.connect('reports', spec);
    expect(textOf(await (call as NonNullable<typeof call>).outcome())).toBe('signed by Ada in Turin');
    expect(asked.sort()).toEqual(['Where?', 'Where?', 'Who signs?']);
  });

  it('[HOST-03] carry the server, the call and the tool, and a signal that fires when nobody needs the answer', async () => {
    const desk = await openDesk();
    const site = await openSite();
    const questions: HostQuestion[] = [];
    const host = await desk.host({
      onQuestion(question) {
        questions.push(question);
        return new Promise<never>(() => {});
      },
    });
    await host.connect('reports', desk.command('reports-server', site.dir));
    const call = await host.call('reports', 'publish');
    const question = await until(() => questions[0], { what: 'the question' });
    expect(question).toMatchObject({
      server: 'reports',
      tool: 'publish',
      callId: call.callId,
      method: 'elicitation/create',
    });
    await call.cancel();
    expect(question.signal.aborted).toBe(true);
  });

  it('[HOST-34] count as turned away from when the handler fails or answers with nothing', async () => {
    const desk = await openDesk();
    const site = await openSite();
    const host = await desk.host({
      onQuestion: ((question: HostQuestion) => {
        if (question.tool === 'publish') throw new Error('no user here');
      }) as never,
    });
    await host.connect('reports', desk.command('reports-server', site.dir));
    const calls = await Promise.all([host.call('reports', 'publish'), host.call('reports', 'sign')]);
    const outcomes = await Promise.all(calls.map((call) => call.outcome()));
    expect(
      outcomes.map((outcome) => outcome.kind === 'error' || (outcome.kind === 'result' && outcome.isError)),
    ).toEqual([true, true]);
    expect(desk.errors.map(String).join()).toContain('no user here');
    expect(desk.errors.map(String).join()).toContain('onQuestion answered elicitation/create with undefined');
  });

  it('[HOST-34] are not asked by servers when nobody can answer', async () => {
    const desk = await openDesk();
    const site = await openSite();
    const host = await desk.host();
    await host.connect('reports', desk.command('reports-server', site.dir));
    const outcome = await (await host.call('reports', 'order')).outcome();
    expect(outcome.kind === 'error' || (outcome.kind === 'result' && outcome.isError)).toBe(true);
  });
});
