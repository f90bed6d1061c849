import { useState } from 'preact/hooks';
import type { Json } from '../form/schema.ts';

const OPEN_DEPTH = 2;
// How many members are shown at a time: a result may have a million.
const PAGE = 100;

/** A JSON value as a collapsible tree. */
export function JsonTree({ value, name, depth = 0 }: { value: Json; name?: string; depth?: number }) {
  if (typeof value !== 'object' || value === null) return <Leaf value={value} name={name} />;
  return <Branch value={value} name={name} depth={depth} />;
}

function Leaf({ value, name }: { value: null | boolean | number | string; name: string | undefined }) {
  const kind = value === null ? 'null' : typeof value;
  return (
    <div class="tree-leaf">
      {name !== undefined && <span class="tree-name">{name}</span>}
      <span class={`tree-${kind}`}>{typeof value === 'string' ? JSON.stringify(value) : String(value)}</span>
    </div>
  );
}

type Members = readonly Json[] | { readonly [key: string]: Json };

function Branch({ value, name, depth }: { value: Members; name: string | undefined; depth: number }) {
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH);
  const [shown, setShown] = useState(PAGE);
  const isList = Array.isArray(value);
  const keys = Object.keys(value);
  const label = isList ? `[${keys.length}]` : `{${keys.length}}`;
  return (
    <div class="tree-branch">
      <button type="button" class="tree-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="tree-arrow" aria-hidden="true">
          {isOpen ? '▾' : '▸'}
        </span>
        {name !== undefined && <span class="tree-name">{name}</span>}
        <span class="tree-size">{label}</span>
      </button>
      {isOpen && (
        <div class="tree-members">
          {keys.slice(0, shown).map((key) => (
            <JsonTree key={key} name={key} value={(value as { [key: string]: Json })[key] ?? null} depth={depth + 1} />
          ))}
          {keys.length > shown && (
            <button type="button" class="link" onClick={() => setShown(shown + PAGE)}>
              +{keys.length - shown}
            </button>
          )}
        </div>
      )}
    </div>
  );
}
