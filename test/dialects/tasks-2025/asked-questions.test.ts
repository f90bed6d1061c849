import { describe, expect, it } from 'vitest';
import {
  AskedQuestions,
  parseQuestionId,
  toQuestionId,
} from '../../../src/dialects/shared/questions/asked-questions.ts';

function openRecord() {
  const asked = new AskedQuestions();
  const freed: string[] = [];
  const stop = asked.onFree((taskId) => void freed.push(taskId));
  return { asked, freed, stop };
}

describe('a question', () => {
  it('can be taken once, until it is released', () => {
    const { asked, freed } = openRecord();
    expect(asked.take('t', 'q1')).toEqual({ id: 'holdfast:t:q1' });
    expect(asked.take('t', 'q1')).toBeUndefined();
    expect(asked.take('t', 'q2')).toEqual({ id: 'holdfast:t:q2' });
    expect(asked.release('holdfast:t:q1')).toBe(true);
    expect(asked.release('holdfast:t:q1')).toBe(false);
    expect(asked.take('t', 'q1')).toEqual({ id: 'holdfast:t:q1' });
    expect(freed).toEqual([]);
  });

  it('is free again, and heard of once for each task, when the stream that carried it is lost', () => {
    const { asked, freed } = openRecord();
    const ids = ['q1', 'q2'].map((key) => asked.take('t', key)?.id ?? '');
    asked.lose([...ids, 'holdfast:other:q1', 'nonsense']);
    expect(freed).toEqual(['t']);
    expect(asked.take('t', 'q2')).toEqual({ id: 'holdfast:t:q2' });
  });

  it('is asked anew, with the reason, when its answer could not be used', () => {
    const { asked, freed, stop } = openRecord();
    asked.take('t', 'q1');
    asked.askAgain('holdfast:t:q1', 'too long');
    expect(freed).toEqual(['t']);
    expect(asked.take('t', 'q1')).toEqual({ id: 'holdfast/2:t:q1', complaint: 'too long' });
    stop();
    asked.askAgain('holdfast/2:t:q1', 'too short');
    expect(asked.take('t', 'q1')).toEqual({ id: 'holdfast/3:t:q1', complaint: 'too short' });
    expect(freed).toEqual(['t']);
  });

  it('is not asked anew because of an answer to an earlier request', () => {
    const { asked, freed } = openRecord();
    asked.take('t', 'q1');
    asked.askAgain('holdfast:t:q1', 'too long');
    asked.take('t', 'q1');
    asked.askAgain('holdfast:t:q1', 'too long');
    expect(freed).toEqual(['t']);
    expect(asked.take('t', 'q1')).toBeUndefined();
  });

  it('that another server asked is asked here with the next turn when its answer cannot be used', () => {
    const { asked } = openRecord();
    asked.askAgain('holdfast/2:t:q1', 'too long');
    expect(asked.take('t', 'q1')).toEqual({ id: 'holdfast/3:t:q1', complaint: 'too long' });
  });
});

describe('the id of a request that asks', () => {
  it.each([
    { taskId: 't', key: 'q1', turn: 1 },
    { taskId: 't', key: 'a:b\n/2', turn: 3 },
  ])('names task, question and turn: %j', (question) => {
    expect(parseQuestionId(toQuestionId(question))).toEqual(question);
  });

  it.each([7, null, 'holdfast', 'holdfast:t', 'holdfast::q', 'holdfast/x:t:q', 'other:t:q'])('is not %j', (id) => {
    expect(parseQuestionId(id)).toBeUndefined();
  });
});
