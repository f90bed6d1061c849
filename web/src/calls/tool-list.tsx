import { useState } from 'preact/hooks';
import { t } from '../shell/settings.ts';

interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
}

const MANY = 8;

/** The tools of a server; with a field to find one where there are many. */
export function ToolList(props: { tools: readonly ListedTool[]; chosen: string; onChoose: (name: string) => void }) {
  const { tools, chosen, onChoose } = props;
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
      <div class="tools-list">
        {found.map(({ name, title }) => (
          <label key={name} class={`tool ${name === chosen ? 'tool-chosen' : ''}`}>
            <input type="radio" name="tool" value={name} checked={name === chosen} onChange={() => onChoose(name)} />
            <span>{title ?? name}</span>
          </label>
        ))}
        {found.length === 0 && <p class="hint">{t('noTools')}</p>}
      </div>
    </fieldset>
  );
}
