import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { downloadTo, upload, type Sink } from '../../src/client/bodies.ts';
import type { Caller } from '../../src/client/perform.ts';
import type { WireReply, WireRequest } from '../../src/client/transport.ts';
import { Problem } from '../../src/base/problem.ts';
import { depot } from '../http/depot.ts';

const content = '0123456789';
const digest = `sha-256=:${createHash('sha256').update(content).digest('base64')}:`;
const cut = () => new Problem('network', 'NETWORK', 'Could not reach the depot: the connection was closed.');

/** A server that answers as it is told, one request after the other. */
function scripted(
  ...answers: ((request: WireRequest) => WireReply | Promise<WireReply>)[]
): Caller & { asked: WireRequest[] } {
  const asked: WireRequest[] = [];
  return {
    asked,
    place: 'the depot',
    userAgent: 'test',
    tokenFor: async () => undefined,
    transport: {
      async send(request) {
        asked.push(request);
        const answer = answers.shift();
        if (answer === undefined) throw new Error('nobody should have asked again');
        return await answer(request);
      },
      [Symbol.asyncDispose]: async () => {},
    },
  };
}

/** @param breaks whether the connection is cut after the text */
function reply(status: number, text: string, headers: Record<string, string>, breaks = false): () => WireReply {
  return () => ({
    status,
    headers,
    body: (async function* () {
      if (text !== '') yield Buffer.from(text);
      if (breaks) throw cut();
    })(),
  });
}

const whole = { 'accept-ranges': 'bytes', etag: '"v1"', 'content-length': '10', 'repr-digest': digest };
const from = (start: number, etag = '"v1"') => ({
  etag,
  'content-range': `bytes ${start}-9/10`,
  'repr-digest': digest,
});

function memory(): Sink & { text: string; restarts: number } {
  return {
    text: '',
    restarts: 0,
    async write(bytes) {
      this.text += Buffer.from(bytes).toString();
    },
    async restart() {
      this.text = '';
      this.restarts += 1;
    },
  };
}

const name = { name: 'a' };

describe('a download', () => {
  it('goes on where it was cut off, as often as something new came', async () => {
    const server = scripted(
      reply(200, '012', whole, true),
      reply(206, '3', from(3), true),
      reply(206, '4', from(4), true),
      reply(206, '5', from(5), true),
      reply(206, '6789', from(6)),
    );
    const sink = memory();
    const told: number[] = [];
    const onProgress = (done: number): void => void told.push(done);
    expect(await downloadTo(server, depot.get, name, sink, { onProgress, patience: 0 })).toBe(10);
    expect([sink.text, sink.restarts]).toEqual([content, 0]);
    expect(server.asked.map(({ headers }) => [headers['range'], headers['if-range']])).toEqual([
      [undefined, undefined],
      ['bytes=3-', '"v1"'],
      ['bytes=4-', '"v1"'],
      ['bytes=5-', '"v1"'],
      ['bytes=6-', '"v1"'],
    ]);
    expect(told.at(-1)).toBe(10);
  });

  it('begins anew when there is another content meanwhile', async () => {
    const server = scripted(reply(200, 'xyz', { ...whole, etag: '"v0"' }, true), reply(200, content, whole));
    const sink = memory();
    await downloadTo(server, depot.get, name, sink);
    expect([sink.text, sink.restarts]).toEqual([content, 1]);
  });

  it.each([
    ['has no name', { 'accept-ranges': 'bytes' }],
    ['has a weak name', { 'accept-ranges': 'bytes', etag: 'W/"v1"' }],
    ['is not given in part', { etag: '"v1"' }],
  ])('begins anew when the content %s', async (_what, headers) => {
    const server = scripted(reply(200, '012', headers, true), reply(200, content, whole));
    const sink = memory();
    await downloadTo(server, depot.get, name, sink);
    expect([sink.text, sink.restarts]).toEqual([content, 1]);
    expect(server.asked[1]?.headers['range']).toBeUndefined();
  });

  it('takes no part for another', async () => {
    for (const headers of [from(4), from(3, '"v2"'), {}]) {
      const server = scripted(reply(200, '012', whole, true), reply(206, '3456789', headers));
      await expect(downloadTo(server, depot.get, name, memory())).rejects.toMatchObject({ code: 'BAD_REPLY' });
    }
  });

  it('is refused when it is not what it should be, however it came', async () => {
    const server = scripted(reply(200, '012', whole, true), reply(206, 'abcdefg', from(3)));
    await expect(downloadTo(server, depot.get, name, memory())).rejects.toMatchObject({ code: 'DIGEST_MISMATCH' });
  });

  it('gives up when nothing comes any more, and at once for what the server refuses', async () => {
    const dead = () => {
      throw cut();
    };
    const silent = scripted(reply(200, '012', whole, true), dead, dead, dead);
    await expect(downloadTo(silent, depot.get, name, memory())).rejects.toMatchObject({ code: 'NETWORK' });
    expect(silent.asked).toHaveLength(4);
    const failure = JSON.stringify({ message: 'No.', error: 'NOT_FOUND' });
    const gone = scripted(reply(200, '012', whole, true), reply(404, failure, {}));
    await expect(downloadTo(gone, depot.get, name, memory())).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('an upload', () => {
  const stored = reply(200, JSON.stringify({ name: 'a', size: 10, type: 't' }), {});
  const reads: string[] = [];
  const sent = {
    type: 'application/octet-stream',
    size: 10,
    async *pieces() {
      reads.push('');
      for (const piece of ['01234', '56789']) yield Buffer.from(piece);
    },
  };
  const taking =
    (most: number, then: () => WireReply) =>
    async ({ body }: WireRequest): Promise<WireReply> => {
      let at = 0;
      for await (const piece of body as AsyncIterable<Uint8Array>) if ((at += piece.length) >= most) throw cut();
      return then();
    };

  it('that may be repeated begins anew when it is cut off', async () => {
    const server = scripted(taking(5, stored), taking(99, stored));
    const told: number[] = [];
    const onProgress = (done: number): void => void told.push(done);
    expect(await upload(server, depot.put, name, sent, { onProgress })).toMatchObject({ size: 10 });
    expect(reads).toHaveLength(2);
    expect(told).toEqual([0, 0, 5, 10]);
    expect(server.asked.every(({ headers }) => headers['content-length'] === '10')).toBe(true);
  });

  it('that creates something is not repeated', async () => {
    const server = scripted(taking(5, stored));
    await expect(upload(server, depot.add, {}, sent)).rejects.toMatchObject({ code: 'NETWORK' });
  });

  it('is not repeated for ever', async () => {
    const server = scripted(taking(5, stored), taking(5, stored), taking(5, stored));
    await expect(upload(server, depot.put, name, sent)).rejects.toMatchObject({ code: 'NETWORK' });
    expect(server.asked).toHaveLength(3);
  });
});
