import type { HostChannel } from './host-channel.ts';

/** The channel to the parent page that embeds this one. Messages from other windows are ignored. */
export function toParentChannel(view: Window): HostChannel {
  const { parent } = view;
  return {
    // A view does not know its host's origin, and sends no secrets.
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
