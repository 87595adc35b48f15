import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { download, upload, type SentContent } from '../../src/client/bodies.ts';
import { Problem } from '../../src/base/problem.ts';
import type { ByteRange, Content, Upload } from '../../src/service/raw-bodies.ts';
import { depot, GIBIBYTE, openDepot, ways, type Depot } from './depot.ts';
import { inStage } from '../support/stage.ts';
import { elapses, slowly, until } from '../support/real-time.ts';

const PIECE = 64 * 1024;
/** What may be on its way at once: the buffers of two sockets, of the system between them, and the pieces in hand. */
const MOST = 24 * 1024 ** 2;
const type = 'application/octet-stream';

/** Bytes without an end of their own: made when they are asked for, and counted. */
class Spring {
  made = 0;
  readonly #piece = new Uint8Array(PIECE).fill(7);
  async *pieces(bytes: number): AsyncGenerator<Uint8Array> {
    for (let left = bytes; left > 0; left -= PIECE) {
      const piece = this.#piece.subarray(0, Math.min(left, PIECE));
      this.made += piece.length;
      yield piece;
    }
  }
}

const small = (text: string, more: Partial<SentContent> = {}): SentContent => ({
  type,
  size: Buffer.byteLength(text),
  async *pieces() {
    yield Buffer.from(text);
  },
  ...more,
});
const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('base64');

/** Keeps what comes, in whole. */
function keeping(): { put: Depot['put']; kept: Map<string, string>; uploads: Upload[] } {
  const kept = new Map<string, string>();
  const uploads: Upload[] = [];
  return {
    kept,
    uploads,
    async put(_ctx, _guest, { name, part }, sent) {
      uploads.push(sent);
      const pieces: Uint8Array[] = [];
      for await (const piece of sent.body) pieces.push(piece);
      const content = Buffer.concat(pieces).toString();
      kept.set(part === undefined ? name : `${name}/${part}`, content);
      return { name, size: content.length, type: sent.type };
    },
  };
}

function contentOf(text: string): Content & { asked: ByteRange[] } {
  const asked: ByteRange[] = [];
  return {
    size: text.length,
    asked,
    async *read(range) {
      asked.push(range);
      yield Buffer.from(text.slice(range.start, range.end));
    },
  };
}

describe.each(ways)('bodies that are no JSON, %s', (way) => {
  // Once the whole of it; the others show the same with less.
  const large = inStage(3 * MOST, 3 * MOST, way === 'over TCP' ? GIBIBYTE : 8 * MOST);

  it('come as they are, with their fields in path and query', async () => {
    const { put, kept, uploads } = keeping();
    await using server = await openDepot(way, { put });
    const digests = { 'sha-256': sha256('abc') };
    const reply = await upload(server, depot.put, { name: 'a b', part: '2' }, small('abc', { digests }));
    expect(reply).toEqual({ name: 'a b', size: 3, type });
    expect(kept).toEqual(new Map([['a b/2', 'abc']]));
    expect(Buffer.from(uploads[0]?.digests.sha256 ?? []).toString('base64')).toBe(sha256('abc'));
    expect(server.bytes.taken).toBe(0);
  });

  it('take a gibibyte (or much) up without having it', async () => {
    const spring = new Spring();
    let most = 0;
    let size = 0;
    await using server = await openDepot(way, {
      async put(_ctx, _guest, { name }, sent) {
        for await (const piece of sent.body) {
          size += piece.length;
          most = Math.max(most, spring.made - size);
          expect(server.bytes.taken).toBeLessThanOrEqual(MOST);
        }
        return { name, size, type: sent.type };
      },
    });
    const content = { type, size: large, pieces: () => spring.pieces(large) };
    expect((await upload(server, depot.put, { name: 'large' }, content)).size).toBe(large);
    expect(most).toBeLessThan(MOST);
  }, 300_000);

  it('give a gibibyte (or much) out without having it', { tags: 'thorough', timeout: 300_000 }, async () => {
    const spring = new Spring();
    const content: Content = { size: large, read: ({ start, end }) => spring.pieces(end - start) };
    await using server = await openDepot(way, { get: async () => ({ type, content }) });
    const { body, headers } = await download(server, depot.get, { name: 'large' });
    expect(headers['content-length']).toBe(String(large));
    let most = 0;
    let size = 0;
    for await (const piece of body) {
      size += piece.length;
      most = Math.max(most, spring.made - size);
    }
    expect(size).toBe(large);
    expect(most).toBeLessThan(MOST);
  });

  it('stand still when the other side does', async () => {
    const spring = new Spring();
    const content: Content = { size: GIBIBYTE, read: ({ start, end }) => spring.pieces(end - start) };
    await using server = await openDepot(way, { get: async () => ({ type, content }) });
    const { body } = await download(server, depot.get, { name: 'large' });
    const pieces = body[Symbol.asyncIterator]();
    await pieces.next();
    // Until nothing more is made in many turns of the loop.
    for (let before = -1, still = 0; still < 200; still = spring.made === before ? still + 1 : 0) {
      before = spring.made;
      await turn();
    }
    expect(spring.made).toBeLessThan(MOST);
    await pieces.return?.();
  });

  it.each([
    ['a type that is not taken', { type: 'text/html' }, 'UNSUPPORTED_MEDIA_TYPE'],
    ['no type', { type: '' }, 'UNSUPPORTED_MEDIA_TYPE'],
    ['another hash', { digests: { 'sha-256': sha256('abd') } }, 'DIGEST_MISMATCH'],
    [
      'one right hash and a wrong one',
      { digests: { 'sha-256': sha256('abc'), 'sha-512': `${'A'.repeat(86)}==` } },
      'DIGEST_MISMATCH',
    ],
    ['a hash of a wrong length', { digests: { 'sha-256': 'AAAA' } }, 'VALIDATION_ERROR'],
    ['more bytes than are taken', { size: 3 * GIBIBYTE }, 'PAYLOAD_TOO_LARGE'],
  ])('with %s are refused, and nothing is kept', async (_what, more, code) => {
    const { put, kept } = keeping();
    await using server = await openDepot(way, { put });
    const sending = upload(server, depot.put, { name: 'a' }, small('abc', more));
    await expect(sending).rejects.toMatchObject({ name: 'Problem', code });
    expect(kept.size).toBe(0);
    expect(server.bytes.taken).toBe(0);
  });

  it('that come without a length are refused where they become too large', async () => {
    const { put } = keeping();
    await using server = await openDepot(way, {
      add: async (...call) => await put(call[0], call[1], { name: 'x' }, call[3]),
    });
    const add = (text: string) => upload(server, depot.add, {}, small(text, { size: undefined }));
    expect((await add('ten bytes.')).size).toBe(10);
    await expect(add('eleven byte')).rejects.toMatchObject({ kind: 'tooLarge', code: 'PAYLOAD_TOO_LARGE' });
  });

  it('of which the service wants nothing are not waited for', async () => {
    const spring = new Spring();
    await using server = await openDepot(way, {
      put: async () => await Promise.reject(new Problem('missing', 'NOT_FOUND', 'There is no such shelf.')),
    });
    const content = { type, size: GIBIBYTE, pieces: () => spring.pieces(GIBIBYTE) };
    await expect(upload(server, depot.put, { name: 'a' }, content)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(spring.made).toBeLessThan(MOST);
  });

  it('are given out with their hash, name and type', async () => {
    await using server = await openDepot(way, {
      get: async () => ({ type: 'text/plain', content: 'abc', filename: 'Zürich "1".txt', version: 'v1' }),
    });
    const { status, headers, body } = await download(server, depot.get, { name: 'a' });
    let text = '';
    for await (const piece of body) text += Buffer.from(piece).toString();
    expect([status, text]).toEqual([200, 'abc']);
    expect(headers).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '3',
      'content-digest': `sha-256=:${sha256('abc')}:`,
      'content-disposition': `attachment; filename="Z_rich _1_.txt"; filename*=UTF-8''Z%C3%BCrich%20%221%22.txt`,
      etag: '"v1"',
      'accept-ranges': 'bytes',
    });
  });

  it('are given out in part', async () => {
    const content = contentOf('0123456789');
    const digests = { sha256: createHash('sha256').update('0123456789').digest() };
    await using server = await openDepot(way, { get: async () => ({ type, content, version: 'v1', digests }) });
    const part = async (headers: Record<string, string>) => {
      const reply = await server.transport.send({ method: 'GET', path: '/filevault/depot/a', headers });
      let text = '';
      for await (const piece of reply.body) text += Buffer.from(piece).toString();
      return [reply.status, reply.headers['content-range'], text] as const;
    };
    expect(await part({ range: 'bytes=2-4' })).toEqual([206, 'bytes 2-4/10', '234']);
    expect(await part({ range: 'bytes=7-' })).toEqual([206, 'bytes 7-9/10', '789']);
    expect(await part({ range: 'bytes=-3' })).toEqual([206, 'bytes 7-9/10', '789']);
    expect(await part({ range: 'bytes=-99' })).toEqual([206, 'bytes 0-9/10', '0123456789']);
    expect(await part({ range: 'bytes=8-99' })).toEqual([206, 'bytes 8-9/10', '89']);
    expect(await part({ range: 'bytes=2-4', 'if-range': '"v1"' })).toEqual([206, 'bytes 2-4/10', '234']);
    const [beyond, length, refused] = await part({ range: 'bytes=10-' });
    expect([beyond, length, JSON.parse(refused)]).toMatchObject([
      416,
      'bytes */10',
      { error: 'RANGE_NOT_SATISFIABLE' },
    ]);
    for (const range of ['bytes=4-2', 'bytes=1-2,4-5', 'lines=1-2', 'bytes=-', 'bytes=a-b', '', 'bytes=0x1-2'])
      expect(await part({ range })).toEqual([200, undefined, '0123456789']);
    expect(await part({ range: 'bytes=2-4', 'if-range': '"v2"' })).toEqual([200, undefined, '0123456789']);
    expect((await part({ 'if-none-match': '"v1"' }))[0]).toBe(304);
    expect(content.asked.slice(0, 2)).toEqual([
      { start: 2, end: 5 },
      { start: 7, end: 10 },
    ]);
  });

  it('that break off in the middle are noticed by the client, and stand in the log', async () => {
    const content: Content = {
      size: 2 * PIECE,
      async *read() {
        yield new Uint8Array(PIECE);
        await turn();
        throw new Error('the disk is gone');
      },
    };
    await using server = await openDepot(way, { get: async () => ({ type, content }) });
    const { body } = await download(server, depot.get, { name: 'a' });
    await expect(
      (async () => {
        for await (const piece of body) expect(piece.length).toBeGreaterThan(0);
      })(),
    ).rejects.toThrow(/the disk is gone|the connection was closed/);
    expect(JSON.stringify(server.log)).toContain('download aborted');
  });
});

describe('bodies over a connection', () => {
  const head = (length: number): string =>
    `PUT /filevault/depot/a HTTP/1.1\r\nhost: depot\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`;

  it('are given up when they come slower than they must', async () => {
    const { put, kept } = keeping();
    await using server = await openDepot(
      'over TCP',
      { put },
      { pace: { bytesPerSecond: 1000, graceMs: elapses(100) } },
    );
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let said = '';
    socket.on('data', (bytes) => (said += bytes.toString()));
    socket.write(`${head(100)}a`);
    await once(socket, 'close');
    expect(said).toContain('HTTP/1.1 408');
    expect(said).toContain('REQUEST_TIMEOUT');
    expect(kept.size).toBe(0);
  }, 60_000);

  it('may take longer than a request, as long as they come', { tags: 'thorough', timeout: 60_000 }, async () => {
    const { put, kept } = keeping();
    const pace = { bytesPerSecond: 1, graceMs: 600_000 };
    await using server = await openDepot('over TCP', { put }, { pace, server: { requestTimeoutMs: elapses(2_000) } });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let said = '';
    socket.on('data', (bytes) => (said += bytes.toString()));
    socket.write(head(24));
    // Longer than a request may take.
    for (let sent = 0; sent < 24; sent += 1) {
      socket.write('a');
      await slowly(100);
    }
    while (!said.includes('Stored') && !said.includes('"size"')) await once(socket, 'data');
    expect(said).toContain('HTTP/1.1 200');
    expect(kept.get('a')).toBe('a'.repeat(24));
    socket.destroy();
  });

  it('that break off leave nothing', async () => {
    const { put, kept } = keeping();
    let reached: (error: unknown) => void = () => undefined;
    const refused = new Promise((resolve) => (reached = resolve));
    await using server = await openDepot('over TCP', {
      put: async (...call) =>
        await put(...call).catch((error: unknown) => {
          reached(error);
          throw error;
        }),
    });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(`${head(100)}abc`, () => socket.resetAndDestroy());
    expect(await refused).toMatchObject({ code: 'VALIDATION_ERROR', message: 'The body ended too early.' });
    expect(kept.size).toBe(0);
  });

  it('that nobody takes are given up, and their bytes given back', async () => {
    const spring = new Spring();
    const content: Content = { size: GIBIBYTE, read: ({ start, end }) => spring.pieces(end - start) };
    const pace = { bytesPerSecond: 1000, graceMs: elapses(100) };
    await using server = await openDepot('over TCP', { get: async () => ({ type, content }) }, { pace });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write('GET /filevault/depot/a HTTP/1.1\r\nhost: depot\r\n\r\n');
    await once(socket, 'readable');
    expect(server.bytes.taken).toBeGreaterThan(0);
    await until(() => server.bytes.taken === 0);
    expect(spring.made).toBeLessThan(MOST);
    socket.destroy();
  }, 60_000);

  it('end when their reader is gone before the first piece', async () => {
    const states: string[] = [];
    let goOn = (): void => {};
    const waiting = new Promise<void>((resolve) => (goOn = resolve));
    const content: Content = {
      size: 2 * PIECE,
      async *read() {
        states.push('begun');
        try {
          await waiting;
          yield new Uint8Array(PIECE);
          yield new Uint8Array(PIECE);
        } finally {
          states.push('ended');
        }
      },
    };
    await using server = await openDepot('over TCP', { get: async () => ({ type, content }) });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write('GET /filevault/depot/a HTTP/1.1\r\nhost: depot\r\n\r\n');
    await expect.poll(() => states).toEqual(['begun']);
    socket.destroy();
    await once(socket, 'close');
    // The server hears of it, too.
    for (let round = 0; round < 200; round += 1) await turn();
    goOn();
    await expect.poll(() => states).toEqual(['begun', 'ended']);
    expect(server.bytes.taken).toBe(0);
  });

  it('count against the bytes of their sender, as much as is held of them', async () => {
    const { put } = keeping();
    await using server = await openDepot('over TCP', { put }, { budget: 300_000 });
    using other = heldBy(server.bytes, 200_000);
    expect(other).toBeDefined();
    const content = small('abc', { size: undefined });
    await expect(upload(server, depot.put, { name: 'a' }, content)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });

  it('answer HEAD without reading anything', async () => {
    const content = contentOf('0123456789');
    await using server = await openDepot('over TCP', { get: async () => ({ type, content }) });
    const answer = await fetch(`${server.url}/filevault/depot/a`, { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-length'), content.asked]).toEqual([200, '10', []]);
  });
});

function heldBy(
  budget: { begin(who: { address: string }): { take(bytes: number): void } & Disposable },
  bytes: number,
) {
  const held = budget.begin({ address: '192.0.2.1' });
  held.take(bytes);
  return held;
}
