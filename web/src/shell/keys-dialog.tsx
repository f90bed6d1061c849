import { useEffect, useRef } from 'preact/hooks';
import { t } from './settings.ts';

/** The dialog of keyboard shortcuts. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const keys = [
    ['1 – 7', t('shortcutScreens')],
    ['/', t('shortcutSearch')],
    ['Ctrl + Enter', t('shortcutCall')],
    ['↑ ↓', t('shortcutMove')],
    ['Esc', t('shortcutClose')],
  ] as const;
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="keys-title" onClose={onClose}>
      <h2 id="keys-title">{t('shortcuts')}</h2>
      <dl class="keys">
        {keys.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <button type="button" class="button" onClick={() => dialog.current?.close()}>
        {t('close')}
      </button>
    </dialog>
  );
}
