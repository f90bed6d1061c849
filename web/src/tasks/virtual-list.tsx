import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

export interface VirtualListProps<T> {
  readonly items: readonly T[];
  readonly rowHeight: number;
  readonly label: string;
  readonly chosen: number;
  toKey(item: T): string;
  render(item: T, isChosen: boolean): ComponentChildren;
  onChoose(item: T): void;
  /** Called when the end of the list is near. */
  onEnd(): void;
}

const SPARE = 6;

/** A list that renders only its visible rows. */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const { items, rowHeight, label, chosen, toKey, render, onChoose, onEnd } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const look = () => {
    const { scrollTop: top = 0, clientHeight: height = 600 } = frame.current ?? {};
    setView({ top, height });
    if (top + height > (items.length - SPARE) * rowHeight) onEnd();
  };
  useEffect(() => {
    look();
    const watcher = new ResizeObserver(look);
    if (frame.current) watcher.observe(frame.current);
    return () => watcher.disconnect();
  }, [items.length]);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - SPARE);
  const last = Math.min(items.length, Math.ceil((view.top + view.height) / rowHeight) + SPARE);
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const next = items[Math.min(items.length - 1, Math.max(0, chosen + step))];
    if (step === 0 || next === undefined) return;
    event.preventDefault();
    onChoose(next);
    frame.current?.scrollTo({ top: Math.max(0, (chosen + step) * rowHeight - view.height / 2) });
  };
  return (
    <div ref={frame} class="virtual" role="listbox" aria-label={label} tabIndex={0} onScroll={look} onKeyDown={move}>
      <div role="presentation" style={{ height: `${items.length * rowHeight}px` }}>
        <div role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {items.slice(first, last).map((item, at) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
            <div
              key={toKey(item)}
              role="option"
              aria-selected={first + at === chosen}
              tabIndex={-1}
              class="virtual-row"
              style={{ height: `${rowHeight}px` }}
              onClick={() => onChoose(item)}
            >
              {render(item, first + at === chosen)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
