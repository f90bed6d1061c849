import type { CallOutcome } from '../../../src/host/index.ts';
import type { Outcome } from '../../../src/task/outcome.ts';
import { asObject, type Json } from '../form/schema.ts';
import { JsonTree } from './json-tree.tsx';
import { ResultView } from './result-view.tsx';

/** The outcome of a call. */
export function CallOutcomeView({ outcome }: { outcome: CallOutcome }) {
  if (outcome.kind === 'result') return <ResultView result={outcome.result as never} />;
  if (outcome.kind === 'error') return <ErrorView {...outcome.error} />;
  return <p class="reason">{outcome.reason}</p>;
}

/** The outcome of a task. */
export function TaskOutcomeView({ outcome }: { outcome: Outcome }) {
  switch (outcome.kind) {
    case 'result':
      return <ValueView value={outcome.value as Json} />;
    case 'error':
      return (
        <>
          <ErrorView {...outcome.error} />
          {outcome.error.stack && <pre class="code-block">{outcome.error.stack}</pre>}
        </>
      );
    case 'interrupted':
      return (
        <>
          <p class="reason">{outcome.reason}</p>
          {outcome.details && <pre class="code-block">{outcome.details}</pre>}
        </>
      );
    case 'cancelled':
    case 'expired':
      return <p class="reason">{outcome.reason}</p>;
  }
}

function ValueView({ value }: { value: Json }) {
  const result = asObject(value);
  return Array.isArray(result.content) ? <ResultView result={result} /> : <JsonTree value={value} />;
}

function ErrorView({ code, message }: { code: number | string; message: string }) {
  return (
    <p class="reason">
      <code>{code}</code> {message}
    </p>
  );
}
