import { useState } from 'preact/hooks';
import type { RunStep, RunView } from '../../../src/sandbox/run-as/run-view.ts';
import { QuestionCard } from '../calls/question-card.tsx';
import { post } from '../live/api.ts';
import { ActButton, Pill, Problem, type Tone } from '../shell/bits.tsx';
import { toDurationText } from '../shell/duration.ts';
import { t } from '../shell/settings.ts';
import type { TextKey } from '../texts/en.ts';
import { WireRow } from '../wire/wire-row.tsx';

const ENDS: Readonly<Record<NonNullable<RunView['end']>, readonly [Tone, TextKey]>> = {
  result: ['good', 'runResult'],
  failure: ['bad', 'runFailure'],
  'gave up': ['bad', 'runGaveUp'],
  stopped: ['quiet', 'runStopped'],
  error: ['bad', 'runError'],
};

/** One run, message by message. */
export function RunCard({ run }: { run: RunView }) {
  const [problem, setProblem] = useState('');
  const { runId, client, tool, args, speed, steps, left, questions, end, endedAt, text } = run;
  const [tone, label] = end === undefined ? (['pending', 'runUnderWay'] as const) : ENDS[end];
  return (
    <article class={`card call call-${tone}`} data-run={runId} data-end={end ?? ''}>
      <header class="card-head">
        <Pill tone={tone}>{t(label)}</Pill>
        <h3>{client.replaceAll('`', '')}</h3>
        <span class="muted">
          {tool} · {t('runSpeedTimes', { n: speed })}
        </span>
        <span class="grow" />
        {endedAt !== undefined && <span class="muted">{t('runTook', { time: toDurationText(endedAt) })}</span>}
      </header>
      <p class="args">{JSON.stringify(args)}</p>
      <div class="wires">
        {steps.map((step, at) => (
          <Step key={at} step={step} />
        ))}
      </div>
      {left > 0 && <p class="hint">{t('runLeft', { n: left })}</p>}
      {questions.map(({ key, message, schema }) => (
        <QuestionCard
          key={key}
          question={{ key, kind: 'form', message, schema }}
          answer={(given) => post(`run-as/${runId}/answer`, given)}
        />
      ))}
      {end === 'error' && <Problem>{text}</Problem>}
      {problem && <Problem>{problem}</Problem>}
      {end === undefined && (
        <div class="actions">
          <ActButton
            label={t('runStop')}
            kind="danger"
            act={() => post(`run-as/${runId}/stop`)}
            onFailed={setProblem}
          />
        </div>
      )}
    </article>
  );
}

function Step({ step }: { step: RunStep }) {
  switch (step.kind) {
    case 'message':
      return <WireRow message={step} />;
    case 'handed-over':
      return (
        <p class="wire-note">
          <span class="wire-at">{toDurationText(step.at)}</span>
          {t(step.as === 'task' ? 'runHandedTask' : 'runHandedWords')}
        </p>
      );
    case 'read':
      return (
        <figure class="wire-read" data-final={step.isFinal}>
          <figcaption>{t(step.isFinal ? 'runModelReadsFinal' : 'runModelReads')}</figcaption>
          <pre class="code-block" tabIndex={0}>
            {step.text}
          </pre>
        </figure>
      );
  }
}
