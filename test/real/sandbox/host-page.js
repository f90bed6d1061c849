// @ts-nocheck: it runs in a browser, whose types these tests do not have
/** A page that shows views of MCP Apps, with the host's half of their authors; the test plays its user and its model. */
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

const CAPABILITIES = { serverTools: {}, message: { text: {} }, updateModelContext: { text: {} }, openLinks: {} };

globalThis.openView = async ({ context, capabilities = CAPABILITIES }) => {
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-scripts';
  frame.width = '700';
  const said = [];
  const bridge = new AppBridge(null, { name: 'view-host', version: '1' }, capabilities, { hostContext: context });
  // The functions of the test.
  bridge.oncalltool = (params) => globalThis.callTool(params);
  bridge.onmessage = async (params) => {
    said.push(['message', params]);
    return {};
  };
  bridge.onupdatemodelcontext = async (params) => {
    said.push(['context', params]);
    return {};
  };
  bridge.onopenlink = async ({ url }) => {
    said.push(['link', url]);
    return {};
  };
  bridge.onsizechange = ({ height }) => {
    frame.height = String(height);
  };
  const ready = new Promise((resolve) => bridge.addEventListener('initialized', resolve));
  document.body.append(frame);
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.src = '/view';
  await ready;
  globalThis.view = { bridge, said, frame };
};
