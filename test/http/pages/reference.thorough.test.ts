import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allOperations, allTopics, topics } from '../../../src/contract/all.ts';
import { declaredHeadersOf, headerOf, inputHeaders, type HeaderFields } from '../../../src/contract/header-fields.ts';
import { asyncApiDocument } from '../../../src/http/asyncapi/document.ts';
import { openApiDocument } from '../../../src/http/openapi/document.ts';
import type { AsyncApiDocument } from '../../../src/http/asyncapi/types.ts';
import type { OpenApiDocument } from '../../../src/http/openapi/types.ts';
import { html, prose } from '../../../src/http/pages/reference/html.ts';
import { page } from '../../../src/http/pages/reference/page.ts';
import { renderReference } from '../../../src/http/pages/reference/rendered.ts';
import { schemaRows } from '../../../src/http/pages/reference/schema-rows.ts';
import { version } from '../../../src/base/version.ts';
import { openHouse, type ApiAnswer, type House } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';

let house: House;
const pages: Record<string, ApiAnswer> = {};

beforeAll(async () => {
  house = await openHouse(engines[0]!);
  for (const path of ['/openapi.json', '/asyncapi.json', '/docs', '/docs/style.css'])
    pages[path] = await house.api('GET', path);
});
afterAll(async () => {
  await house[Symbol.asyncDispose]();
});

describe.each([
  ['/openapi.json', 'application/json; charset=utf-8'],
  ['/asyncapi.json', 'application/json; charset=utf-8'],
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/style.css', 'text/css; charset=utf-8'],
])('%s', (path, type) => {
  it('is served to everybody, with what every answer has', async () => {
    const { status, headers } = pages[path]!;
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is not sent again to whoever has it', async () => {
    const etag = pages[path]!.headers.get('etag')!;
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    expect(pages[path]!.headers.get('cache-control')).toBe('no-cache');
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await house.api('GET', path, { headers: { 'if-none-match': known } });
      expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, '', etag]);
    }
    expect((await house.api('GET', path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('answers HEAD, and nothing else', async () => {
    const head = await house.fetch(new Request(`http://node.test${path}`, { method: 'HEAD' }));
    expect([head.status, await head.text(), head.headers.get('content-type')]).toEqual([200, '', type]);
    const posted = await house.api('POST', path, { body: {} });
    expect([posted.status, posted.body.error, posted.headers.get('allow')]).toEqual([
      405,
      'METHOD_NOT_ALLOWED',
      'GET, HEAD',
    ]);
  });
});

describe('the document', () => {
  it('is of this program and this configuration', () => {
    const limits = { ...house.ctx.config.limits };
    expect(pages['/openapi.json']!.body).toEqual(JSON.parse(renderReference(allTopics, limits, version).document));
    expect(pages['/openapi.json']!.body.info.version).toBe(version);
  });
});

describe('the page', () => {
  it('shows every event and frame of sockets, and finds them', async () => {
    const { channels, components } = pages['/asyncapi.json']!.body as AsyncApiDocument;
    for (const [key, { name }] of Object.entries(components.messages)) {
      expect(text()).toContain(`<article id="event-${key}">`);
      expect(text()).toContain(`<code>${name}</code>`);
    }
    expect(text()).toContain(channels['vaults']!.address);
    const found = (await house.api('GET', '/docs?q=vault:notice')).body as string;
    expect(found).toContain('event-vault.notice');
    expect(found).not.toContain('event-resume');
    expect(found).toContain('1 frame of sockets');
  });

  const text = () => pages['/docs']!.body as string;

  it('loads nothing from elsewhere and runs nothing', () => {
    expect(pages['/docs']!.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    expect(text()).not.toMatch(/<script|<style|<iframe|<img|\son\w+=|\sstyle=|javascript:/i);
    const loaded = [...text().matchAll(/<link[^>]*href="([^"]*)"/g)].map((match) => match[1]);
    expect(loaded).toEqual(['/favicon.ico', '/docs/style.css']);
    expect(text()).not.toMatch(/\ssrc=|@import/);
    expect(pages['/docs/style.css']!.body).not.toMatch(/url\(|@import|https?:/);
  });

  it('has every operation with its fields, errors and an example', () => {
    const described = new Set(
      Object.values(pages['/openapi.json']!.body.paths as OpenApiDocument['paths']).flatMap((item) =>
        Object.values(item).map((op) => op.operationId),
      ),
    );
    expect(described.size).toBeGreaterThan(60);
    const articles = new Map(
      [...text().matchAll(/<article id="([^"]+)">.*?<\/article>/gs)].map(([article, id]) => [id, article]),
    );
    for (const op of allOperations().filter(({ id }) => described.has(id))) {
      const article = articles.get(op.id);
      expect(article).toContain(`>${op.method}</span>`);
      const inHeaders = Object.keys(inputHeaders(op));
      const others = Object.entries(op.input.entries as HeaderFields).filter(([name]) => !inHeaders.includes(name));
      for (const [name, schema] of [...others, ...Object.entries(declaredHeadersOf(op))])
        expect(article).toContain(`<code>${headerOf(schema) ?? name}</code>`);
      for (const code of op.errors) expect(article).toContain(`<code>${code}</code>`);
      expect(article).toContain('curl ');
    }
  });

  it('closes every element that it opens, has each id once and no link into the void', () => {
    const open: string[] = [];
    const closed: string[] = [];
    const empty = new Set(['meta', 'link', 'input', '!doctype']);
    for (const [, closing, name] of text().matchAll(/<(\/?)([a-z0-9!]+)/g)) {
      if (closing === '/') closed.push(`${name} for ${open.pop()}`);
      else if (!empty.has(name!)) open.push(name!);
    }
    expect(open).toEqual([]);
    expect(closed.filter((one) => !/^(\w+) for \1$/.test(one))).toEqual([]);
    const ids = [...text().matchAll(/\sid="([^"]+)"/g)].map((match) => match[1]);
    const known = new Set(ids);
    expect(known.size).toBe(ids.length);
    const anchors = [...text().matchAll(/href="#([^"]+)"/g)].map((match) => match[1]);
    expect(anchors.filter((anchor) => !known.has(anchor))).toEqual([]);
  });

  it('shows requests that can be copied', () => {
    expect(text()).toContain(
      [
        'curl -X POST &quot;$CONCLAVE_SERVER/api/user/login&quot; \\',
        '  -H &#39;Content-Type: application/json&#39; \\',
        '  -d @- &lt;&lt;&#39;JSON&#39;',
        '{',
        '  &quot;username&quot;: &quot;ada&quot;,',
        '  &quot;password&quot;: &quot;a lighthouse hums at dawn&quot;,',
        '  &quot;code&quot;: &quot;287082&quot;',
        '}',
        'JSON',
      ].join('\n'),
    );
    expect(text()).toContain(
      'curl &quot;$CONCLAVE_SERVER/api/user/verify&quot; \\\n  -H &quot;Authorization: Bearer $CONCLAVE_TOKEN&quot;',
    );
    expect(text()).not.toContain('control.sock');
  });

  it('says limits as people do', { tags: 'thorough' }, () => {
    const { limits } = house.ctx.config;
    const few = [topics.account];
    const counted = renderReference(few, { ...limits, enabled: true }, '1').page('');
    expect(counted).toContain('10 requests in 15 min per account; 30 requests in 15 min per address; body up to 1 MiB');
    expect(counted).toContain('10 requests in 1 h per address');
    const rates = { ...limits.rates, read: { perAccount: { points: 5, seconds: 90 }, perAddress: undefined } };
    expect(renderReference(few, { ...limits, enabled: true, jsonBody: 2048, rates }, '1').page('')).toContain(
      '5 requests in 90 s per account',
    );
    expect(renderReference(few, { ...limits, enabled: true, jsonBody: 2048 }, '1').page('')).toContain(
      'body up to 2 KiB',
    );
    expect(renderReference(few, { ...limits, enabled: false, jsonBody: 2001 }, '1').page('')).toContain(
      'requests are not counted; body up to 2001 bytes',
    );
  });

  it('is dark where the reader wants it', () => {
    expect(pages['/docs/style.css']!.body).toContain('@media (prefers-color-scheme: dark)');
  });

  it('escapes whatever a contract says', () => {
    const document = openApiDocument([], house.ctx.config.limits, '<script>"\'&');
    const places = { welcome: '/', document: '"><x>', page: '/', events: '"><x>' };
    const events = asyncApiDocument([], '<script>"\'&');
    expect(page(document, events, places, '"><x>')).not.toMatch(/<script|<x>/);
    expect(html`<p title="${'"<&>\''}">${[html`<b>`, html`${'<i>'}`]}</p>`.markup).toBe(
      '<p title="&quot;&lt;&amp;&gt;&#39;"><b>&lt;i&gt;</p>',
    );
    expect(prose('a `b<c` `d').markup).toBe('a <code>b&lt;c</code> `d');
  });
});

describe('the search of the page', () => {
  const search = async (words: string) => await house.api('GET', `/docs?q=${encodeURIComponent(words)}`);
  const shown = (text: string) => [...text.matchAll(/<article id="([^"]+)"/g)].map(([, id]) => id);

  it('shows the operations that have all of the words, in whatever place', async () => {
    const everything = shown(pages['/docs']!.body);
    expect(shown((await search('')).body)).toEqual(everything);
    expect(shown((await search('  ')).body)).toEqual(everything);
    expect(shown((await search('direct CHALLENGE_USED')).body)).toEqual(['account.direct-challenge']);
    const sharing = shown((await search('passvault share')).body);
    expect(sharing).toContain('passvault.share');
    expect(sharing.length).toBeLessThan(everything.length / 2);
  });

  it('says how many there are, shows the words again, and is escaped', async () => {
    const none = await search('"><b>nothing');
    expect([none.status, shown(none.body)]).toEqual([200, []]);
    expect(none.body).toContain('No operations have “&quot;&gt;&lt;b&gt;nothing”.');
    expect(none.body).toContain('value="&quot;&gt;&lt;b&gt;nothing"');
    expect((await search('CHALLENGE_USED')).body).toContain('1 operation has “CHALLENGE_USED”.');
    expect((await search('x'.repeat(101))).body).toMatchObject({ error: 'VALIDATION_ERROR' });
  });
});

describe('rows of a schema', () => {
  it('name what is inside by dots and brackets, with its rules in words', () => {
    const schema = {
      type: 'object',
      required: ['a'],
      properties: {
        a: {
          type: 'array',
          minItems: 1,
          items: { type: 'object', required: ['b'], properties: { b: { enum: ['x', 'y'], type: 'string' } } },
        },
        c: { type: 'object', properties: { d: { type: 'integer', minimum: 1, maximum: 9, default: 3 } } },
        e: { const: true },
        f: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'of note' },
      },
    };
    expect(schemaRows(schema, (one) => one).map((row) => [row.name, row.type, row.required, row.text])).toEqual([
      ['a', 'array of object', true, 'at least 1 items'],
      ['a[].b', 'string', true, 'one of `x`, `y`'],
      ['c', 'object', false, ''],
      ['c.d', 'integer', false, '1 to 9; by default `3`'],
      ['e', 'true', false, ''],
      ['f', 'string or null', false, 'of note'],
    ]);
  });
});

it('is for everybody, but for nobody whose token is no good', async () => {
  const { token } = await house.register();
  const statusWith = async (given?: string) => (await house.api('GET', '/openapi.json', { token: given })).status;
  expect(await statusWith()).toBe(200);
  expect(await statusWith(token)).toBe(200);
  expect(await statusWith('nonsense')).toBe(401);
});
