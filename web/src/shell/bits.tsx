/** Small components that every screen uses. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { t } from './settings.ts';

export type Tone = 'pending' | 'good' | 'bad' | 'quiet' | 'asking' | 'queued';

export function Pill({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`pill pill-${tone}`}>{children}</span>;
}

export function Empty({ title, hint }: { title: string; hint?: string }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {hint && <p>{hint}</p>}
    </div>
  );
}

export function Problem({ children }: { children: ComponentChildren }) {
  return (
    <p class="problem" role="alert">
      {children}
    </p>
  );
}

/** A progress bar from 0 to 1, or an animated one if the value is unknown. */
export function ProgressBar({ value, label }: { value: number | undefined; label: string }) {
  if (value === undefined) return <div class="bar bar-unknown" role="progressbar" aria-label={label} />;
  const share = Math.min(1, Math.max(0, value));
  return (
    <div
      class="bar"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
    >
      <div class="bar-fill" style={{ width: `${share * 100}%` }} />
    </div>
  );
}

export function CopyButton({ text }: { text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button type="button" class="link" onClick={() => void copy().catch(() => undefined)}>
      {isCopied ? t('copied') : t('copy')}
    </button>
  );
}

/** A button whose action may take a while or fail. */
export function ActButton(props: {
  label: string;
  act: () => Promise<unknown>;
  onFailed?: (message: string) => void;
  kind?: 'primary' | 'danger' | 'plain';
  isDisabled?: boolean;
}) {
  const [isBusy, setBusy] = useState(false);
  const { label, act, onFailed, kind = 'plain', isDisabled = false } = props;
  const run = async () => {
    setBusy(true);
    try {
      await act();
    } catch (error) {
      onFailed?.(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <button type="button" class={`button button-${kind}`} disabled={isBusy || isDisabled} onClick={() => void run()}>
      {label}
    </button>
  );
}
