import { useState } from 'preact/hooks';
import { asObject, type Json, type JsonObject } from '../form/schema.ts';
import { CopyButton } from '../shell/bits.tsx';
import { t } from '../shell/settings.ts';
import { ContentView } from './content-view.tsx';
import { JsonTree } from './json-tree.tsx';

/** A tool's result: its content, its structured content, and on demand the raw JSON. */
export function ResultView({ result }: { result: JsonObject }) {
  const [isRaw, setRaw] = useState(false);
  const content: readonly Json[] = Array.isArray(result.content) ? result.content : [];
  const { structuredContent } = result;
  return (
    <div class="result">
      <div class="result-tools">
        <button type="button" class="link" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
          {t('raw')}
        </button>
        <CopyButton text={toCopied(content, result)} />
      </div>
      {isRaw ? <JsonTree value={result} /> : <Readable content={content} structured={structuredContent} />}
    </div>
  );
}

function Readable({ content, structured }: { content: readonly Json[]; structured: Json | undefined }) {
  return (
    <>
      {content.map((block, at) => (
        <ContentView key={at} block={block} />
      ))}
      {structured !== undefined && (
        <div class="structured">
          <p class="label">{t('structured')}</p>
          <JsonTree value={structured} />
        </div>
      )}
      {content.length === 0 && structured === undefined && <p class="hint">{t('empty')}</p>}
    </>
  );
}

/** The text blocks, which is what people want to paste; without any, the JSON. */
function toCopied(content: readonly Json[], result: JsonObject): string {
  const texts = content.flatMap((block) => {
    const { type, text } = asObject(block);
    return type === 'text' && typeof text === 'string' ? [text] : [];
  });
  return texts.length > 0 ? texts.join('\n') : JSON.stringify(result, null, 2);
}
