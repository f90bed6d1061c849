/** The view of a call in MCP Apps hosts: one self-contained page that communicates only with its host. */
import { render } from 'preact';
import '../styles/base.css';
import '../styles/parts.css';
import '../styles/content.css';
import '../styles/calls.css';
import './app-view.css';
import { asObject, type JsonObject } from '../form/schema.ts';
import { live } from '../live/live.ts';
import { setLanguage, setTheme, t } from '../shell/settings.ts';
import { CallFollower, type FollowedCall } from './call-follower.ts';
import { HostBridge } from './host-bridge.ts';
import { toParentChannel } from './parent-channel.ts';
import { TaskView } from './task-view.tsx';

// The poll interval. The MCP Apps specification suggests polling, because hosts forward no progress.
const EVERY_MS = 2000;

const listeners = new Set<(call: FollowedCall) => void>();

const follower = new CallFollower({
  everyMs: EVERY_MS,
  callTool: (name, args) => bridge.request('tools/call', { name, arguments: args }),
  now: () => live.now(),
  learnTime: (now) => live.learnTime(now),
  whenShown,
  onChange(call) {
    for (const listener of [...listeners]) listener(call);
  },
});

const bridge = new HostBridge({
  channel: toParentChannel(window),
  version: '1',
  events: {
    'ui/notifications/tool-input': ({ arguments: args }) => follower.takeInput(asObject(args)),
    'ui/notifications/tool-result': (result) => follower.takeResult(result),
    'ui/notifications/tool-cancelled': ({ reason }) => follower.takeCancelled(String(reason ?? '')),
    'ui/notifications/host-context-changed': applyHostContext,
  },
  onTeardown: () => follower.close(),
});

/** Applies the host's theme and language. */
function applyHostContext({ theme, locale }: JsonObject): void {
  if (theme === 'light' || theme === 'dark') setTheme(theme);
  if (typeof locale === 'string') setLanguage(locale.toLowerCase().startsWith('zh') ? 'zh' : 'en');
}

function whenShown(): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const onChange = () => {
      if (document.hidden) return;
      document.removeEventListener('visibilitychange', onChange);
      resolve();
    };
    document.addEventListener('visibilitychange', onChange);
  });
}

/** A view cannot open pages itself; the host opens the link. */
function openByHost(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
  if (!link) return;
  event.preventDefault();
  void bridge.request('ui/open-link', { url: link.getAttribute('href') ?? '' }).catch(() => undefined);
}

/** Reports the view's size, from which hosts set its height. */
function reportSize(root: HTMLElement): void {
  const observer = new ResizeObserver(() => {
    const { width, height } = root.getBoundingClientRect();
    bridge.notify('ui/notifications/size-changed', { width: Math.ceil(width), height: Math.ceil(height) });
  });
  observer.observe(root);
}

/** Tells the model that the task is over, so that it stops waiting. */
function updateModelContext({ phase, task, isHandedOver }: FollowedCall): void {
  if (phase !== 'over' || !task || !isHandedOver) return;
  const text = t('viewContext', { tool: task.tool, task: task.taskId });
  void bridge.request('ui/update-model-context', { content: [{ type: 'text', text }] }).catch(() => undefined);
}

async function open(root: HTMLElement): Promise<void> {
  const { capabilities, context } = await bridge.open();
  applyHostContext(context);
  const name = asObject(asObject(context.toolInfo).tool).name;
  const tool = typeof name === 'string' ? name : undefined;
  const rights = { mayAsk: capabilities.serverTools !== undefined, maySpeak: capabilities.message !== undefined };
  const onCall = (listener: (call: FollowedCall) => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  if (capabilities.updateModelContext !== undefined) onCall(updateModelContext);
  render(<TaskView {...{ follower, bridge, rights, onCall }} tool={tool ?? ''} />, root);
  document.addEventListener('click', openByHost);
  reportSize(root);
  follower.open(tool, rights.mayAsk);
}

const root = document.getElementById('app');
if (root) void open(root);
