import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { SandboxServer } from '../../../src/sandbox/sandbox-servers.ts';
import { Pill } from '../shell/bits.tsx';
import { t } from '../shell/settings.ts';

type Upstreams = NonNullable<SandboxServer['upstreams']>;

interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
}

const MANY = 8;

interface ToolListProps {
  readonly tools: readonly ListedTool[];
  /** The gateway's upstream servers; if there are several, tools are grouped by upstream. */
  readonly upstreams: Upstreams;
  readonly chosen: string;
  onChoose(name: string): void;
}

/** The tools of a server, with a search field if there are many. */
export function ToolList({ tools, upstreams, chosen, onChoose }: ToolListProps) {
  const [text, setText] = useState('');
  const needle = text.trim().toLowerCase();
  const found = tools.filter(({ name, description = '' }) => `${name} ${description}`.toLowerCase().includes(needle));
  return (
    <fieldset class="tools">
      <legend class="field-name">{t('tool')}</legend>
      {tools.length > MANY && (
        <input
          type="search"
          class="tools-search"
          aria-label={t('searchTools')}
          placeholder={t('searchTools')}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      {upstreams.length > 1 ? (
        upstreams.map((upstream) => (
          <UpstreamTools key={upstream.name} upstream={upstream}>
            <Tools tools={found.filter(({ name }) => upstream.tools.includes(name))} {...{ chosen, onChoose }} />
          </UpstreamTools>
        ))
      ) : (
        <Tools tools={found} {...{ chosen, onChoose }} />
      )}
      {upstreams.length > 1 && (
        <Tools tools={found.filter(({ name }) => !isOfAny(upstreams, name))} {...{ chosen, onChoose }} />
      )}
      {found.length === 0 && <p class="hint">{t('noTools')}</p>}
    </fieldset>
  );
}

function isOfAny(upstreams: Upstreams, tool: string): boolean {
  return upstreams.some(({ tools }) => tools.includes(tool));
}

function UpstreamTools({ upstream, children }: { upstream: Upstreams[number]; children: ComponentChildren }) {
  const { name, state, problem } = upstream;
  return (
    <section class="upstream" aria-label={name} data-upstream={name}>
      <h3 class="upstream-name">
        {name} {state !== 'ready' && <Pill tone={state === 'away' ? 'bad' : 'queued'}>{t(state)}</Pill>}
      </h3>
      {problem && <p class="hint">{problem}</p>}
      {children}
    </section>
  );
}

function Tools({ tools, chosen, onChoose }: Omit<ToolListProps, 'upstreams'>) {
  if (tools.length === 0) return null;
  return (
    <div class="tools-list">
      {tools.map(({ name, title }) => (
        <label key={name} class={`tool ${name === chosen ? 'tool-chosen' : ''}`}>
          <input type="radio" name="tool" value={name} checked={name === chosen} onChange={() => onChoose(name)} />
          <span>{title ?? name}</span>
        </label>
      ))}
    </div>
  );
}
