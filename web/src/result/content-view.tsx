/** Renders the content of a tool's result. All of it is untrusted. */
import { useState } from 'preact/hooks';
import { asObject, type Json, type JsonObject } from '../form/schema.ts';
import { toSizeText } from '../shell/duration.ts';
import { t } from '../shell/settings.ts';
import { ArtifactLink } from './artifact-link.tsx';
import { toSafeLink } from './markdown.ts';
import { MarkdownView } from './markdown-view.tsx';

// The number of characters shown at first; more are shown on demand.
const MAX_SHOWN = 60_000;

/** One block of content, by its type. */
export function ContentView({ block }: { block: Json }) {
  const part = asObject(block);
  switch (part.type) {
    case 'text':
      return <TextView text={String(part.text ?? '')} />;
    case 'image':
      return <MediaView part={part} kind="image" />;
    case 'audio':
      return <MediaView part={part} kind="audio" />;
    case 'resource_link':
      return <LinkView link={part} />;
    case 'resource':
      return <ResourceView resource={asObject(part.resource)} />;
    default:
      return <p class="hint">{t('notShown', { type: String(part.type ?? '') })}</p>;
  }
}

function TextView({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  if (text.length <= MAX_SHOWN) return <MarkdownView text={text} />;
  return (
    <div>
      <p class="hint">
        {isWhole ? '' : t('cut')}{' '}
        {!isWhole && (
          <button type="button" class="link" onClick={() => setWhole(true)}>
            {t('showAll', { size: toSizeText(text.length) })}
          </button>
        )}
      </p>
      <pre class="code-block" tabIndex={0}>
        {isWhole ? text : text.slice(0, MAX_SHOWN)}
      </pre>
    </div>
  );
}

/** An image or a sound, rendered in an `img` or `audio` element, in which no image can run scripts. */
function MediaView({ part, kind }: { part: JsonObject; kind: 'image' | 'audio' }) {
  const { data, mimeType } = part;
  const isMedia = typeof mimeType === 'string' && new RegExp(`^${kind}/[\\w.+-]+$`).test(mimeType);
  if (!isMedia || typeof data !== 'string' || !/^[\w+/=\s-]*$/.test(data))
    return <p class="hint">{t('notShown', { type: String(mimeType ?? kind) })}</p>;
  const source = `data:${mimeType};base64,${data}`;
  if (kind === 'image') return <img class="media" src={source} alt={t('image')} />;
  // biome-ignore lint/a11y/useMediaCaption: a sound of a tool comes without captions
  return <audio controls src={source} aria-label={t('audio')} />;
}

function LinkView({ link }: { link: JsonObject }) {
  const uri = String(link.uri ?? '');
  const href = toSafeLink(uri);
  const name = String(link.title ?? link.name ?? uri);
  return (
    <div class="resource">
      <span class="resource-kind">{t('resource')}</span>
      {href === undefined ? (
        <strong>{name}</strong>
      ) : (
        <a href={href} target="_blank" rel="noopener noreferrer">
          {name}
        </a>
      )}
      <code>{uri}</code>
      {typeof link.size === 'number' && <span class="hint">{toSizeText(link.size)}</span>}
      {typeof link.description === 'string' && <span class="hint">{link.description}</span>}
      <ArtifactLink uri={uri} />
    </div>
  );
}

function ResourceView({ resource }: { resource: JsonObject }) {
  const { uri, text, blob, mimeType } = resource;
  const size = typeof blob === 'string' ? Math.floor((blob.length * 3) / 4) : 0;
  return (
    <div class="resource resource-whole">
      <span class="resource-kind">{t('resource')}</span>
      <code>{String(uri ?? '')}</code>
      {typeof text === 'string' ? (
        <pre class="code-block" tabIndex={0}>
          {text.slice(0, MAX_SHOWN)}
        </pre>
      ) : (
        <span class="hint">{t('blob', { size: toSizeText(size), type: String(mimeType ?? '') })}</span>
      )}
    </div>
  );
}
