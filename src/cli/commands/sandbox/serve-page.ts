import { once } from 'node:events';
import { listenOnPort } from '../../../dashboard/http/listen.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { openBrowser } from './open-browser.ts';

const DEFAULT_PORT = 4399;
// How many following ports are tried when the wanted one is in use.
const MORE_PORTS = 20;

export interface PageOptions {
  readonly values: { readonly port?: number; readonly open?: boolean };
  readonly terminal: Terminal;
  readonly token: string;
  /** Printed before the address. */
  readonly title: string;
  fetch(request: Request): Promise<Response>;
}

/** Serves a page, prints its address, and waits for SIGINT or SIGTERM. */
export async function servePage({ values, terminal, token, title, fetch }: PageOptions): Promise<void> {
  const wanted = values.port ?? DEFAULT_PORT;
  const { port, close } = await listenOnPort({ port: wanted, more: wanted === 0 ? 0 : MORE_PORTS, fetch });
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  // The address holds the token and so grants access: it is printed once, to the terminal only.
  const url = `http://127.0.0.1:${port}/?token=${token}`;
  if (terminal.json) terminal.printJson({ url, port, token });
  else {
    if (port !== wanted && wanted !== 0) terminal.remark(`Port ${wanted} is taken; this is the next free one.`);
    terminal.remark(title);
    terminal.print(url);
    terminal.remark('Ctrl-C ends the page. Tasks under way go on in their worker.');
  }
  if (values.open)
    openBrowser(url, (why) => terminal.remark(`The browser was not opened: ${why}; open the address by hand.`));
  await stopped;
  await close();
}
