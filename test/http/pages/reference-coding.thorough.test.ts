import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type House } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse(engines[0]!);
});
afterAll(async () => {
  await house[Symbol.asyncDispose]();
});

async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await house.fetch(new Request(`http://node.test${path}`, { method, headers }));
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

const decoders = [
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
] as const;

describe.each(['/openapi.json', '/asyncapi.json', '/docs', '/docs/style.css'])('%s', (path) => {
  it.each(decoders)('travels as %s, and is the same', async (coding, decode) => {
    const plain = await get(path);
    const { response, bytes } = await get(path, { 'accept-encoding': coding });
    expect(response.headers.get('content-encoding')).toBe(coding);
    expect(decode(bytes).equals(plain.bytes)).toBe(true);
    expect(bytes.length).toBeLessThan(plain.bytes.length / 2);
    expect(response.headers.get('content-type')).toBe(plain.response.headers.get('content-type'));
    expect(response.headers.get('content-security-policy')).toBe(plain.response.headers.get('content-security-policy'));
  });

  it('is plain for a client that names no coding, or refuses them', async () => {
    for (const headers of [{}, { 'accept-encoding': 'br;q=0, gzip;q=0' }, { 'accept-encoding': 'zstd' }]) {
      const { response, bytes } = await get(path, headers);
      expect([response.status, response.headers.get('content-encoding')]).toEqual([200, null]);
      expect(bytes.length).toBeGreaterThan(0);
    }
  });

  it.each(['br', 'gzip', 'identity'])('says its length as %s, and that it varies, also to HEAD', async (coding) => {
    const { response, bytes } = await get(path, { 'accept-encoding': coding });
    const head = await get(path, { 'accept-encoding': coding }, 'HEAD');
    expect(head.bytes).toHaveLength(0);
    for (const { headers } of [response, head.response]) {
      expect(headers.get('content-length')).toBe(String(bytes.length));
      expect(headers.get('vary')).toBe('accept-encoding');
      expect(headers.get('cache-control')).toBe('no-cache');
      expect(headers.get('etag')).toBe(response.headers.get('etag'));
    }
  });

  it('has a strong tag of its own in each coding, and 304 for that one alone', async () => {
    const tags: string[] = [];
    for (const coding of ['br', 'gzip', 'identity'])
      tags.push((await get(path, { 'accept-encoding': coding })).response.headers.get('etag')!);
    expect(new Set(tags).size).toBe(3);
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]{43}"$/);
    const [br, gzip] = tags;
    for (const [known, status] of [
      [br!, 304],
      [`W/${br}`, 304],
      [`"a", W/"b" , W/${br}`, 304],
      ['*', 304],
      [gzip!, 200],
      ['"*"', 200],
    ] as const)
      for (const method of ['GET', 'HEAD']) {
        const { response } = await get(path, { 'accept-encoding': 'br', 'if-none-match': known }, method);
        expect([known, response.status]).toEqual([known, status]);
        expect(response.headers.get('etag')).toBe(br);
        expect(response.headers.get('vary')).toBe('accept-encoding');
      }
  });
});

describe('the page with a search', () => {
  it('is never the kept page', async () => {
    const all = await get('/docs', { 'accept-encoding': 'br' });
    const some = await get('/docs?q=quorum', {
      'accept-encoding': 'br',
      'if-none-match': all.response.headers.get('etag')!,
    });
    expect([some.response.status, some.response.headers.get('content-encoding')]).toEqual([200, null]);
    expect(some.response.headers.get('content-length')).toBe(String(some.bytes.length));
  });
});
