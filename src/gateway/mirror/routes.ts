/**
 * Decides which upstream a request goes to.
 *
 * With one upstream, all requests go to it unchanged. With several, lists are merged from all of them, and a request that names a
 * prompt or a resource goes to the upstream that has it.
 */
import type { JsonObject } from '../../host/index.ts';
import type { Json } from '../../index.ts';
import { isObject } from '../../is-object.ts';
import type { NamedItem } from '../names.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import type { Route } from './mirror.ts';

export interface RoutesOptions {
  readonly upstreams: Upstreams;
  capabilities(upstream: string): JsonObject;
  /** Returns the shown names of these prompts of the upstreams, in their order. */
  namePrompts(lists: readonly { readonly upstream: string; readonly names: readonly string[] }[]): PromptNames;
}

export interface PromptNames {
  find(shown: string): NamedItem | undefined;
  toShown(item: NamedItem): string;
}

type Items = readonly JsonObject[];

/** List methods, the member of the result that holds the items, and the capability that declares them. */
const LISTS: Readonly<Record<string, { readonly member: string; readonly capability: string }>> = {
  'prompts/list': { member: 'prompts', capability: 'prompts' },
  'resources/list': { member: 'resources', capability: 'resources' },
  'resources/templates/list': { member: 'resourceTemplates', capability: 'resources' },
};
// Protects against an endless list.
const MAX_PAGES = 1000;

export class Routes {
  readonly #options: RoutesOptions;
  #prompts: PromptNames | undefined;
  /** By URI or URI template. */
  readonly #owners = new Map<string, string>();

  constructor(options: RoutesOptions) {
    this.#options = options;
  }

  /** Returns the upstreams that may answer, the likeliest first. */
  async route(method: string, params: JsonObject): Promise<readonly Route[]> {
    const { upstreams, capabilities } = this.#options;
    const capability = LISTS[method]?.capability;
    const able = upstreams.names.filter((name) => capability === undefined || capabilities(name)[capability]);
    if (upstreams.names.length === 1) return able.map((upstream) => ({ upstream, params }));
    const named = await this.#findPrompt(method, params);
    if (named) return [named];
    const uri = readUri(params);
    const owner = uri === undefined ? undefined : this.#owners.get(uri);
    const first = able.filter((name) => name === owner);
    const others = able.filter((name) => name !== owner && upstreams.isConnected(name));
    return [...first, ...others].map((upstream) => ({ upstream, params }));
  }

  /** Merges a list from all upstreams; undefined for other methods, or with one upstream, which pages its lists itself. */
  async gather(method: string): Promise<JsonObject | undefined> {
    const list = LISTS[method];
    const { upstreams, capabilities } = this.#options;
    if (!list || upstreams.names.length === 1) return undefined;
    const able = upstreams.names.filter((name) => upstreams.isConnected(name) && capabilities(name)[list.capability]);
    const lists = await Promise.all(
      able.map(async (upstream) => ({ upstream, items: await this.#collect(upstream, method, list.member) })),
    );
    if (method === 'prompts/list') return { prompts: this.#namePrompts(lists) };
    for (const { upstream, items } of lists) this.#own(upstream, items);
    return { [list.member]: lists.flatMap(({ items }) => items) };
  }

  /**
   * Reads all pages of one upstream's list. If a page fails, the list ends there, so that the other upstreams' lists are not
   * lost.
   */
  async #collect(upstream: string, method: string, member: string): Promise<Items> {
    const found: JsonObject[] = [];
    let cursor: Json | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const reply = await this.#options.upstreams.request(upstream, method, params).catch(() => undefined);
      if (reply?.kind !== 'result') return found;
      const items = reply.result[member];
      if (Array.isArray(items)) found.push(...items.filter((item) => isObject<Json>(item)));
      cursor = reply.result.nextCursor;
      if (typeof cursor !== 'string') break;
    }
    return found;
  }

  #namePrompts(lists: readonly { readonly upstream: string; readonly items: Items }[]): JsonObject[] {
    const toNames = (items: Items) => items.map(({ name }) => String(name));
    const names = this.#options.namePrompts(lists.map(({ upstream, items }) => ({ upstream, names: toNames(items) })));
    this.#prompts = names;
    return lists.flatMap(({ upstream, items }) =>
      items.map((prompt) => ({ ...prompt, name: names.toShown({ upstream, name: String(prompt.name) }) })),
    );
  }

  async #findPrompt(method: string, params: JsonObject): Promise<Route | undefined> {
    const ref = isObject<Json>(params.ref) && params.ref.type === 'ref/prompt' ? params.ref : undefined;
    const shown = method === 'prompts/get' ? params.name : ref?.name;
    if (typeof shown !== 'string') return undefined;
    if (!this.#prompts) await this.gather('prompts/list');
    const item = this.#prompts?.find(shown);
    if (!item) return undefined;
    const own = ref ? { ...params, ref: { ...ref, name: item.name } } : { ...params, name: item.name };
    return { upstream: item.upstream, params: own };
  }

  /** If two upstreams have the same URI, the first one owns it. */
  #own(upstream: string, items: Items): void {
    for (const { uri, uriTemplate } of items) {
      const key = uri ?? uriTemplate;
      if (typeof key === 'string' && !this.#owners.has(key)) this.#owners.set(key, upstream);
    }
  }
}

function readUri({ uri, ref }: JsonObject): string | undefined {
  if (typeof uri === 'string') return uri;
  const named = isObject<Json>(ref) ? ref.uri : undefined;
  return typeof named === 'string' ? named : undefined;
}
