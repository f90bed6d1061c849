import { useEffect, useState } from 'preact/hooks';
import { get } from '../live/api.ts';
import { t } from '../shell/settings.ts';

/** A link that saves an artifact of a task in this store; renders nothing for artifacts stored elsewhere. */
export function ArtifactLink({ uri }: { uri: string }) {
  const [, task = '', name = ''] = /^holdfast:\/\/task\/([\w.~%-]+)\/([\w.-]+)$/.exec(uri) ?? [];
  const [isHere, setHere] = useState(false);
  useEffect(() => {
    if (task === '') return;
    let isOpen = true;
    const show = () => isOpen && setHere(true);
    get(`tasks/${task}`).then(show, () => undefined);
    return () => {
      isOpen = false;
    };
  }, [task]);
  if (!isHere) return null;
  return (
    <a class="button" href={`./api/tasks/${task}/artifacts/${name}`} download>
      {t('download')}
    </a>
  );
}
