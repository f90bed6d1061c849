import { useState } from 'preact/hooks';
import { keep, readKept, t } from '../shell/settings.ts';

const [NARROWEST, WIDEST, STEP] = [360, 1400, 40];

/** The width of the details pane, stored for the next visit. */
export function useDividedWidth(): [number, (width: number) => void] {
  const [width, setWidth] = useState(() => toAllowed(Number(readKept('detail')) || window.innerWidth * 0.55));
  const change = (next: number) => {
    const allowed = toAllowed(next);
    keep('detail', String(Math.round(allowed)));
    setWidth(allowed);
  };
  return [width, change];
}

function toAllowed(width: number): number {
  return Math.min(WIDEST, Math.max(NARROWEST, width));
}

/** The divider between a list and its details, moved by mouse or arrow keys. */
export function Divider({ width, onChange }: { width: number; onChange: (width: number) => void }) {
  const onPointerDown = (event: PointerEvent) => {
    const bar = event.currentTarget as HTMLElement;
    bar.setPointerCapture(event.pointerId);
    const start = event.clientX + width;
    const onMove = (move: PointerEvent) => onChange(start - move.clientX);
    bar.addEventListener('pointermove', onMove);
    bar.addEventListener('pointerup', () => bar.removeEventListener('pointermove', onMove), { once: true });
  };
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'ArrowLeft') onChange(width + STEP);
    if (key === 'ArrowRight') onChange(width - STEP);
  };
  return (
    <div
      class="divider"
      role="separator"
      aria-orientation="vertical"
      aria-label={t('resize')}
      aria-valuenow={Math.round(width)}
      aria-valuemin={NARROWEST}
      aria-valuemax={WIDEST}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
    />
  );
}
