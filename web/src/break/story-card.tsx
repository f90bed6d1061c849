import { useState } from 'preact/hooks';
import type { StoryState } from '../../../src/sandbox/story.ts';
import { CallCard } from '../calls/call-card.tsx';
import { post } from '../live/api.ts';
import { useLive, useNow } from '../live/use-live.ts';
import { ActButton, Problem } from '../shell/bits.tsx';
import { t } from '../shell/settings.ts';
import { toTimeline } from '../tasks/spans.ts';
import { useTask } from '../tasks/use-task.ts';
import { Waterfall } from '../tasks/waterfall.tsx';

const STEPS = ['calling', 'working', 'killed', 'taken-up', 'done'] as const;

/** The story's steps, with its call and timeline below. */
export function StoryCard() {
  const { story, calls } = useLive();
  const [problem, setProblem] = useState('');
  const isPlaying = !['idle', 'done', 'failed'].includes(story.step);
  const at = (STEPS as readonly string[]).indexOf(story.step);
  const call = story.callId === undefined ? undefined : calls.get(story.callId);
  return (
    <section class="card story" data-step={story.step} aria-label={t('story')}>
      <header class="card-head">
        <h2>{t('story')}</h2>
        <span class="grow" />
        <ActButton
          label={t(story.step === 'idle' ? 'play' : 'playAgain')}
          kind="primary"
          isDisabled={isPlaying}
          act={() => post('story')}
          onFailed={setProblem}
        />
      </header>
      <p class="muted">{t('storyIntro')}</p>
      {problem && <Problem>{problem}</Problem>}
      {at >= 0 && (
        <ol class="story-steps" aria-live="polite">
          {STEPS.slice(0, at + 1).map((step, index) => (
            <li key={step} class={`story-step story-${step} ${index === at && isPlaying ? 'story-now' : ''}`}>
              {toText(step, story)}
            </li>
          ))}
        </ol>
      )}
      {story.step === 'failed' && <Problem>{t('storyFailed', { why: story.problem ?? '' })}</Problem>}
      {story.taskId && <StoryTimeline key={story.taskId} taskId={story.taskId} />}
      {call && <CallCard call={call} />}
    </section>
  );
}

function toText(step: (typeof STEPS)[number], story: StoryState): string {
  switch (step) {
    case 'calling':
      return t('storyCalling');
    case 'working':
      return t('storyWorking');
    case 'killed':
      return t('storyKilled', { pid: story.pid ?? '' });
    case 'taken-up':
      return t('storyTakenUp', { n: story.attempt ?? '' });
    case 'done':
      return t('storyDone');
  }
}

function StoryTimeline({ taskId }: { taskId: string }) {
  const { task, events } = useTask(taskId);
  const now = useNow(task !== undefined && task.endedAt === undefined);
  return task ? <Waterfall timeline={toTimeline(task, events, { now })} /> : null;
}
