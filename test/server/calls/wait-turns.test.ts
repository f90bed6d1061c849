/** Clients that stop a model which repeats itself, played message by message. */
import { untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openHttp } from '../open-http.ts';
import { callModern, type Heard, openPlain, readAdvice, taskOf, textOf } from '../plain-client.ts';

const SHORT = { giveUpMs: 40 };
const PROFILES = { cline: SHORT, raw: SHORT };

async function open() {
  const rig = await openHttp();
  const url = await rig.serve({ profiles: PROFILES });
  const cline = await openPlain(url, { name: 'Cline' });
  return { rig, url, cline };
}

/** What a model does that follows what it reads, with Cline's look at its last calls. */
async function followAdvice(first: Heard, call: (name: string, args: object) => Promise<Heard>, times: number) {
  const calls: string[] = [];
  let heard = first;
  for (let time = 0; time < times; time++) {
    const { name, args } = readAdvice(textOf(heard));
    calls.push(`${name} ${JSON.stringify(args)}`);
    heard = await call(name, args);
  }
  return { calls, heard };
}

describe('a model that waits again and again', () => {
  it('[HOSTS-150] never makes the same call twice when it does what it reads', async () => {
    const { rig, cline } = await open();
    const handed = await cline.call('wait');
    const { calls, heard } = await followAdvice(handed, cline.call, 7);
    expect(calls).toHaveLength(new Set(calls).size);
    expect(calls[0]).toContain('"turn":1}');
    rig.open();
    await untilStatus(rig.tasks, taskOf(handed)?.taskId ?? '', 'completed');
    expect(textOf((await followAdvice(heard, cline.call, 1)).heard)).toBe('waited');
  });

  it('[HOSTS-150] neither does one of the modern era', async () => {
    const { rig, url } = await open();
    const call = (name: string, args: object) => callModern(url, name, { args });
    const { calls } = await followAdvice(await call('wait', {}), call, 3);
    expect(calls).toHaveLength(new Set(calls).size);
    rig.open();
  });

  it.each([undefined, null, 'two', -1, 0.5, 1e300, { turn: 1 }])(
    '[HOSTS-151] may give a turn that is none: %j',
    async (turn) => {
      const { rig, cline } = await open();
      const task_id = taskOf(await cline.call('wait'))?.taskId ?? '';
      const again = await cline.call('task_wait', { task_id, turn, wait_seconds: 0 });
      expect(again.result).not.toHaveProperty('isError');
      expect(readAdvice(textOf(again)).args).toEqual({ task_id, turn: 1 });
      rig.open();
    },
  );
});
