import { describe, expect, it } from 'vitest';
import { shortenResult } from '../../../src/server/tools/large-result.ts';

const LIMITS = { textBytes: 50_000, binaryBytes: 1000, maxBytes: 1_000_000 };

function open({ hasSchema = false, limits = LIMITS } = {}) {
  const kept = new Map<string, { data: string | Uint8Array; mimeType?: string }>();
  const artifact = async (name: string, data: string | Uint8Array, options: { mimeType?: string } = {}) => {
    kept.set(name, { data, ...options });
    const size = typeof data === 'string' ? Buffer.byteLength(data) : data.length;
    return { uri: `holdfast://task/t1/${name}`, name, mimeType: options.mimeType ?? '', size };
  };
  const shorten = (result: Parameters<typeof shortenResult>[0]) =>
    shortenResult(result, { task: { artifact }, limits, hasSchema });
  return { kept, shorten };
}

const text = (length: number, letter = 'x') => ({ type: 'text', text: letter.repeat(length) });
const image = (bytes: number) => ({
  type: 'image',
  data: Buffer.alloc(bytes, 1).toString('base64'),
  mimeType: 'image/png',
});

describe('a result', () => {
  it('[GATE-400] that is small stays the same', async () => {
    const { kept, shorten } = open();
    const result = { content: [text(50_000), image(1000)], structuredContent: { a: 1 } };
    expect(await shorten(result)).toBe(result);
    expect(kept.size).toBe(0);
  });

  it('[GATE-400] that is long has its beginning, its end, how to read the rest, and a link', async () => {
    const { kept, shorten } = open();
    const long = `begin ${'é'.repeat(40_000)} end`;
    const { content } = await shorten({ content: [{ type: 'text', text: long }] });
    const [excerpt, link] = content as [{ text: string }, object];
    expect(kept.get('result')).toEqual({ data: long, mimeType: 'text/plain' });
    expect(link).toEqual({
      type: 'resource_link',
      uri: 'holdfast://task/t1/result',
      name: 'result',
      mimeType: 'text/plain',
      size: 80_010,
    });
    expect(excerpt.text).toMatch(/^begin é/);
    expect(excerpt.text).toMatch(/é end$/);
    expect(excerpt.text).not.toContain('\ufffd');
    expect(excerpt.text).toContain('of 80010 bytes are left out here; read holdfast://task/t1/result?offset=16384');
    expect(excerpt.text).toContain('task_wait with task_id t1, part result and offset 16384');
  });

  it('[GATE-400] of several texts keeps the small ones, and links to the largest until the rest fits', async () => {
    const { kept, shorten } = open();
    const { content } = await shorten({ content: [text(30_000, 'a'), text(60_000, 'b'), text(25_000, 'c')] });
    expect([...kept.values()].map(({ data }) => String(data)[0])).toEqual(['a', 'b']);
    expect(content.map(({ type }) => type)).toEqual(['text', 'resource_link', 'text', 'resource_link', 'text']);
  });

  it('[GATE-401] has links to large images and files, with their types', async () => {
    const { kept, shorten } = open();
    const blob = { uri: 'file:///x.zip', mimeType: 'application/zip', blob: Buffer.alloc(2000).toString('base64') };
    const { content } = await shorten({ content: [image(1001), image(10), { type: 'resource', resource: blob }] });
    expect(content.map(({ type, mimeType }) => [type, mimeType])).toEqual([
      ['resource_link', 'image/png'],
      ['image', 'image/png'],
      ['resource_link', 'application/zip'],
    ]);
    expect([...kept.keys()]).toEqual(['result', 'result-2']);
    expect(kept.get('result')?.data).toHaveLength(1001);
  });

  it('[GATE-402] keeps a structured value where a schema promises it, and moves it otherwise', async () => {
    const result = { content: [], structuredContent: { list: 'x'.repeat(60_000) } };
    expect(await open({ hasSchema: true }).shorten(result)).toBe(result);
    const { kept, shorten } = open();
    const short = await shorten(result);
    expect(short).not.toHaveProperty('structuredContent');
    expect(kept.get('structured')).toEqual({
      data: JSON.stringify(result.structuredContent),
      mimeType: 'application/json',
    });
  });

  it('[GATE-409] that is larger than it may be is refused with its size', async () => {
    const { kept, shorten } = open();
    await expect(shorten({ content: [text(1_000_001)] })).rejects.toMatchObject({
      code: 'RESULT_TOO_LARGE',
      data: { bytes: 1_000_001, maxBytes: 1_000_000 },
    });
    expect(kept.size).toBe(0);
  });
});
