import type { HostLine } from './host-line.ts';

/** The page that this one lies in. Others may send messages too, and are not heard. */
export function toParentLine(view: Window): HostLine {
  const { parent } = view;
  return {
    // A view does not know where its host lies, and tells it nothing that is secret.
    send: (message) => parent.postMessage(message, '*'),
    listen(take) {
      const onMessage = ({ source, data }: MessageEvent) => {
        if (source === parent) take(data);
      };
      view.addEventListener('message', onMessage);
      return () => view.removeEventListener('message', onMessage);
    },
  };
}
