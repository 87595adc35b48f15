import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { version } from '../../../src/base/version.ts';
import { openHouse, type House } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';
import { readDocuments } from '../../docs/documents.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse(engines[0]!);
});
afterAll(async () => {
  await house[Symbol.asyncDispose]();
});

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const policy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

async function get(url: string, headers: Record<string, string> = browser) {
  const response = await house.fetch(new Request(url, { headers }));
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('/ in a browser', () => {
  it('says what this is, how to connect and where to read on', async () => {
    const { status, headers, text } = await get('https://home.example:8443/');
    expect([status, headers.get('content-type'), headers.get('vary')]).toEqual([
      200,
      'text/html; charset=utf-8',
      'accept',
    ]);
    expect(headers.get('content-security-policy')).toBe(policy);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).toContain('encrypted home for a group of people');
    expect(text).toContain('<code>conclave login NAME --server https://home.example:8443</code>');
    for (const link of ['/docs', '/openapi.json', '/docs/guides/passwords', '/docs/guides/self-hosting'])
      expect(text).toContain(`href="${link}"`);
  });

  it('loads nothing from elsewhere, and leads nowhere else', async () => {
    const { text } = await get('https://home.example/');
    expect(text).not.toMatch(/<script|<style|<img|<iframe|\sstyle=|\son\w+=|\ssrc=/i);
    for (const [, target] of text.matchAll(/href="([^"]*)"/g)) {
      if (target!.startsWith('#')) continue;
      expect((await get(`https://home.example${target}`)).status, target).toBe(200);
    }
  });

  it('says the same whoever the members are', async () => {
    const before = (await get('https://home.example/')).text;
    await house.register({ username: 'somebody' });
    expect((await get('https://home.example/')).text).toBe(before);
  });

  it.each(['x$(id)', 'x;id', "x'y", 'x`id`', 'x&y'])('repeats no address that a shell would run: %s', async (host) => {
    const { text } = await get(`http://${host}/`);
    expect(text).toContain('<code>conclave login NAME --server ADDRESS</code>');
    expect(text).not.toContain('id)');
  });

  it('is JSON for everybody else', async () => {
    const { headers, text } = await get('http://[::1]:7878/', { accept: '*/*' });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(JSON.parse(text)).toEqual({
      name: 'Conclave',
      version,
      server: 'http://[::1]:7878',
      connect: 'conclave login NAME --server http://[::1]:7878',
      reference: '/docs',
      openapi: '/openapi.json',
    });
  });

  it('knows of a certificate of its own, and of a proxy that ends TLS', async () => {
    const config = { tls: 'self-signed' as const };
    await using other = await openHouse(engines[0]!, { config });
    const request = new Request('https://home.example/', { headers: browser });
    expect(await (await other.fetch(request)).text()).toContain(
      'conclave login NAME --server https://home.example --ca sha256:FINGERPRINT',
    );
    const forwarded = { 'x-forwarded-proto': 'https', accept: '*/*' };
    expect(JSON.parse((await get('http://home.example/', forwarded)).text).server).toBe('http://home.example');
    const { config: behindProxy } = await loadConfig({
      flags: { 'data-dir': '/nowhere', 'trusted-proxies': '127.0.0.1' },
      env: {},
      home: '/nowhere',
      cwd: '/nowhere',
    });
    await using proxied = await openHouse(engines[0]!, { config: { trustedProxies: behindProxy.trustedProxies } });
    const answer = await proxied.fetch(new Request('http://home.example/', { headers: forwarded }));
    expect(await answer.json()).toMatchObject({ server: 'https://home.example' });
  });
});

describe('/favicon.ico', () => {
  it('is a small picture that browsers keep', async () => {
    const response = await house.fetch(new Request('http://node.test/favicon.ico'));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/x-icon']);
    expect(response.headers.get('cache-control')).toBe('public, max-age=86400');
    const bytes = new DataView(await response.arrayBuffer());
    const [type, count, length, at] = [
      bytes.getUint16(2, true),
      bytes.getUint16(4, true),
      bytes.getUint32(14, true),
      bytes.getUint32(18, true),
    ];
    expect([type, count, length + at]).toEqual([1, 1, bytes.byteLength]);
    expect(bytes.byteLength).toBeLessThan(5_000);
    const known = { 'if-none-match': response.headers.get('etag')! };
    expect((await get('http://node.test/favicon.ico', known)).status).toBe(304);
  });
});

describe('/docs/guides', () => {
  it('are the documents that come with the program', { tags: 'thorough' }, async () => {
    // Those for whoever changes the program stay with its sources.
    const forDevelopers = /^docs\/(?:architecture\.md$|decisions\/)/;
    const documents = (await readDocuments()).filter(
      ({ path }) => path.startsWith('docs/') && !forDevelopers.test(path),
    );
    expect(documents.length).toBeGreaterThan(7);
    const linked = new Set<string>();
    expect((await get('http://node.test/docs/guides/architecture')).status).toBe(404);
    for (const { path, text: markdown } of documents) {
      const { status, headers, text } = await get(`http://node.test/docs/guides/${path.slice(5, -3)}`);
      expect(status, path).toBe(200);
      expect(headers.get('content-security-policy')).toBe(policy);
      expect(text).toContain(`>${/^# (.*)$/m.exec(markdown)![1]}</h1>`);
      expect(text).not.toMatch(/<script|<style|<img|<iframe|<[^>]*\s(?:style|on\w+)=|javascript:/i);
      const ids = [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
      for (const target of new Set([...text.matchAll(/href="([^"]*)"/g)].map((match) => match[1]))) {
        if (target!.startsWith('#')) expect(ids, `${path}: ${target}`).toContain(target!.slice(1));
        else if (target!.startsWith('/docs/guides/')) linked.add(target!);
      }
    }
    expect(linked.size).toBeGreaterThan(7);
    for (const target of linked) expect((await get(`http://node.test${target}`)).status, target).toBe(200);
  });

  it.each(['nothing', '..%2fpackage', '..%2F..%2Fpackage.json', '%2e%2e%2fREADME', 'constructor'])(
    'are not other files: %s',
    async (name) => {
      const { status, text } = await get(`http://node.test/docs/guides/${name}`);
      expect([status, JSON.parse(text).error]).toEqual([404, 'NOT_FOUND']);
    },
  );
});
