import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { tableCounts } from '../../src/platform/store/census.ts';
import { startNode, type RunningNode } from '../support/running-node.ts';
import { exchange } from './exchange.ts';

const TIMEOUT_MS = 700;

let node: RunningNode;
let token: string;
let before: unknown;

beforeAll(async () => {
  node = await startNode({
    env: {
      CONCLAVE_RATE_LIMITS: 'off',
      CONCLAVE_SERVER_HEADERS_TIMEOUT: `${TIMEOUT_MS}ms`,
      CONCLAVE_SERVER_REQUEST_TIMEOUT: `${TIMEOUT_MS}ms`,
    },
  });
  const body = JSON.stringify({
    username: 'somebody',
    email: 'somebody@example.org',
    password: 'a horse with no name',
  });
  const registered = await node.fetch('/api/user/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  token = ((await registered.json()) as { data: { token: string } }).data.token;
  before = await tableCounts(node.engine.context.store);
});

afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

afterEach(async () => {
  const response = await node.fetch('/api/user/verify', { headers: { authorization: token } });
  expect(response.status, 'others are served').toBe(200);
  expect(await tableCounts(node.engine.context.store), 'nothing was written').toEqual(before);
  expect(node.log.lines.filter((line) => line['level'] === 'error' || line['status'] === 500)).toEqual([]);
});

const send = (...[bytes, options]: Parameters<typeof exchange> extends [number, ...infer Rest] ? Rest : never) =>
  exchange(node.ready.port, bytes, options);

const post = (headers: readonly string[], body = '', path = '/api/user/register') =>
  [`POST ${path} HTTP/1.1`, 'Host: node.test', 'Content-Type: application/json', ...headers, '', body].join('\r\n');
const get = (path: string, headers: readonly string[] = []) =>
  [`GET ${path} HTTP/1.1`, 'Host: node.test', 'Connection: close', ...headers, '', ''].join('\r\n');

describe('a body', () => {
  it('that never ends, having said how long it is', async () => {
    const waited = await send(post(['Content-Length: 1000'], '{"username":"'));
    expect([undefined, 408]).toContain(waited.status);
  });

  it('that never ends, in chunks, while others are served', async () => {
    const endless = send(post(['Transfer-Encoding: chunked'], '5\r\n{"use\r\n'));
    for (let times = 0; times < 5; times += 1) expect((await send(get('/health/live'))).status).toBe(200);
    expect([undefined, 408]).toContain((await endless).status);
  });

  it('that is longer than the limit, and says so', async () => {
    const answer = await send(post(['Content-Length: 10000000'], 'x'.repeat(1000)));
    expect([answer.status, answer.body]).toEqual([413, { message: expect.any(String), error: 'PAYLOAD_TOO_LARGE' }]);
    const asking = await send(post(['Content-Length: 10000000', 'Expect: 100-continue']));
    expect(asking.text).toMatch(/^HTTP\/1\.1 (?:100|413)/);
    expect(asking.text).toContain('PAYLOAD_TOO_LARGE');
  });

  it('that is longer than the limit, and comes in chunks without end', async () => {
    const chunk = `ffff\r\n${'x'.repeat(0xffff)}\r\n`;
    const answer = await send(post(['Transfer-Encoding: chunked']), { forever: chunk });
    expect([answer.status, answer.body]).toEqual([413, { message: expect.any(String), error: 'PAYLOAD_TOO_LARGE' }]);
  });

  it('that is shorter than it says', async () => {
    const answer = await send(post(['Content-Length: 1000'], '{"username":"x"}'), { end: true });
    expect([undefined, 400, 408]).toContain(answer.status);
  });

  it('that is longer than it says', async () => {
    const answer = await send(post(['Content-Length: 2'], '{}{"username":"x"}'), { end: true });
    // The rest is read as another request, which it isn't; that may be noticed before the first is answered.
    expect(answer.status).toBe(400);
    expect(answer.text.match(/HTTP\/1\.1 \d+/g)).not.toContain('HTTP/1.1 201');
  });

  it.each([
    ['two lengths', ['Content-Length: 2', 'Content-Length: 3'], '{}'],
    ['a length and chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'],
    ['a length that is none', ['Content-Length: 2x'], '{}'],
    ['a negative length', ['Content-Length: -2'], '{}'],
    ['a length beyond counting', ['Content-Length: 99999999999999999999'], '{}'],
    ['chunks of no length', ['Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n'],
    ['chunks twice', ['Transfer-Encoding: chunked, chunked'], '2\r\n{}\r\n0\r\n\r\n'],
    ['an encoding that nobody knows', ['Transfer-Encoding: cow'], '{}'],
  ])('with %s', async (_, headers, body) => {
    const answer = await send(post(headers, body), { end: true });
    expect([400, 413]).toContain(answer.status);
  });

  it('in chunks is read like another', async () => {
    const answer = await send(
      post(['Transfer-Encoding: chunked', 'Connection: close'], '1\r\n{\r\n1;x=y\r\n}\r\n0\r\nX: y\r\n\r\n'),
    );
    expect([answer.status, answer.body]).toEqual([
      400,
      expect.objectContaining({ errors: expect.arrayContaining([{ path: 'username', message: 'is missing' }]) }),
    ]);
  });

  it('that its sender takes away again is no error of the server', async () => {
    const gone = new AbortController();
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"user'));
      },
    });
    const headers = { 'content-type': 'application/json' };
    const sent = node.fetch('/api/user/register', {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
      signal: gone.signal,
    });
    setTimeout(() => gone.abort(), 50);
    await expect(sent).rejects.toThrow('abort');
  });
});

describe('a request', () => {
  it.each([
    ['nothing at all', '\r\n\r\n\r\n'],
    ['noise', Uint8Array.from({ length: 300 }, (_, at) => (at * 167) % 256)],
    ['the hello of TLS', Uint8Array.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/0.9', 'GET /\r\n'],
    ['HTTP/3.7', 'GET / HTTP/3.7\r\nHost: node.test\r\n\r\n'],
    ['a method that is none', '\u0000\u0001 / HTTP/1.1\r\nHost: node.test\r\n\r\n'],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: node.test\r\n: x\r\n\r\n'],
    ['a header with NUL', 'GET / HTTP/1.1\r\nHost: node.test\r\nX: a\u0000b\r\n\r\n'],
    ['a header folded', 'GET / HTTP/1.1\r\nHost: node.test\r\nX: a\r\n b\r\n\r\n'],
    ['no host', 'GET / HTTP/1.1\r\n\r\n'],
    ['a space in its target', 'GET /a b HTTP/1.1\r\nHost: node.test\r\n\r\n'],
  ])('that is %s is closed', async (_, bytes) => {
    const answer = await send(bytes, { end: true });
    expect([undefined, 400, 404, 505]).toContain(answer.status);
    expect(answer.text).not.toMatch(/node:|at .*:\d+:\d+/);
  });

  it.each([
    ['a target of 100 KB', get(`/api/user/${'x'.repeat(100_000)}`)],
    ['a query of 100 KB', get(`/api/user/verify?${'x'.repeat(100_000)}`)],
    ['a header of 100 KB', get('/api/user/verify', [`X: ${'x'.repeat(100_000)}`])],
    ['a token of 100 KB', get('/api/user/verify', [`Authorization: Bearer ${'x'.repeat(100_000)}`])],
    [
      '10,000 headers',
      get(
        '/api/user/verify',
        Array.from({ length: 10_000 }, (_, at) => `X-${at}: x`),
      ),
    ],
  ])('with %s', async (_, bytes) => {
    expect((await send(bytes)).status).toBe(431);
  });

  it.each([
    ['a path that climbs', '/api/user/../../../etc/passwd', 404],
    ['a path that climbs in disguise', '/api/user/%2e%2e/%2e%2e/etc/passwd', 404],
    ['a path with backslashes', '/api\\user\\verify', undefined],
    ['a path that begins twice', '//api/user/verify', undefined],
    ['the path of another host', 'http://example.org/api/user/verify', undefined],
    ['the path of another scheme', 'file:///etc/passwd', undefined],
    ['a path without a beginning', 'api/user/verify', undefined],
    ['a path of bytes', '/api/user/\u00e4\u00f6\u00fc', undefined],
    ['a path that is not UTF-8', '/api/user/%ff', 400],
    ['a path with a lone percent', '/api/user/%', 400],
    ['a fragment', '/api/user/verify#x', undefined],
    ['only a question', '?', undefined],
    ['an asterisk', '*', undefined],
  ])('for %s', async (_, path, status) => {
    const answer = await send(get(path));
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    if (status !== undefined) expect(answer.status).toBe(status);
    if (answer.body !== undefined)
      expect(answer.body).toEqual({ message: expect.any(String), error: expect.any(String) });
  });

  it.each([
    '%%%',
    '[',
    'a:b:c',
    'node.test:99999',
    ' ',
    'user:password@node.test',
    '\u00ff',
    '"',
    "<script>alert('x')</script>",
    'x'.repeat(5_000),
  ])('to the host %.40s', async (host) => {
    const answer = await send(
      ['GET /api/user/verify HTTP/1.1', `Host: ${host}`, 'Connection: close', `Authorization: ${token}`, '', ''].join(
        '\r\n',
      ),
    );
    expect([200, 400]).toContain(answer.status);
  });

  it.each([
    ['TRACE', 405],
    ['OPTIONS', 405],
    ['PROPFIND', 405],
    ['PATCH', 405],
    ['QUERY', 405],
    ['BREW', 400],
  ])('of method %s', async (method, status) => {
    const answer = await send(
      `${method} /api/user/verify HTTP/1.1\r\nHost: node.test\r\nConnection: close\r\nX-Secret: hunter2\r\n\r\n`,
    );
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain('hunter2');
    if (status === 405) expect(answer.text).toMatch(/\r\nallow: GET, HEAD\r\n/i);
  });

  it('to connect elsewhere is closed', async () => {
    const answer = await send('CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n');
    expect([undefined, 400, 404, 405]).toContain(answer.status);
  });

  it('to become something unknown is served as what it is, or closed', async () => {
    const answer = await send(
      get('/api/user/verify', ['Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__']).replace(
        'Connection: close',
        'Connection: Upgrade',
      ),
      { end: true },
    );
    expect([undefined, 400, 401, 404, 426]).toContain(answer.status);
  });

  it('behind another on one connection is answered in turn', async () => {
    const first = get('/api/user/verify').replace('Connection: close', 'Connection: keep-alive');
    const answer = await send(first + post(['Content-Length: 1'], '{') + get('/nothing'));
    expect([...answer.text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1])).toEqual(['401', '400', '404']);
  });

  it('that starts and never goes on is closed', async () => {
    const starts = ['', 'GET /api/us', 'GET / HTTP/1.1\r\nHost: node.test\r\nX: '];
    for (const answer of await Promise.all(starts.map((start) => send(start)))) {
      expect([undefined, 408]).toContain(answer.status);
    }
  });
});
