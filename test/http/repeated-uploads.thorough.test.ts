import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { upload } from '../../src/client/bodies.ts';
import { sendWithin } from '../../src/client/local-transport.ts';
import type { Caller } from '../../src/client/perform.ts';
import type { Transport } from '../../src/client/transport.ts';
import { Problem } from '../../src/base/problem.ts';
import { services } from '../../src/node/services.ts';
import { openHouse, type House } from '../support/house.ts';
import { engines } from '../support/stores.ts';
import { parcels, parcelService, type Post } from './parcels.ts';

const PIECE = 16 * 1024;
const WHOLE = 40 * PIECE;
const digestOf = (fill: string): Record<string, string> => {
  const digest = createHash('sha256').update(Buffer.alloc(WHOLE, fill)).digest('base64');
  return { 'content-digest': `sha-256=:${digest}:` };
};

describe.each(engines)('an upload with an Idempotency-Key, on %s', (engine) => {
  let house: House;
  let post: Post;
  let token: string;
  let sent = 0;

  beforeEach(async () => {
    post = { closed: new Set(), read: 0, early: false };
    house = await openHouse(engine, { services: [...services, parcelService(post)] });
    ({ token } = await house.register());
    sent = 0;
  });
  afterEach(async () => {
    await house[Symbol.asyncDispose]();
  });

  /** A body that counts what is taken of it. @param until where it breaks off */
  async function* pieces(fill: string, until: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < until; at += PIECE) {
      sent += PIECE;
      yield new Uint8Array(Buffer.alloc(PIECE, fill));
    }
    if (until < WHOLE) throw new Error('the line is cut');
  }

  interface Sent {
    readonly fill?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly until?: number;
    readonly street?: string;
  }

  async function send({ fill = 'a', headers = {}, until = WHOLE, street = 'main' }: Sent = {}) {
    const answer = await house.fetch(
      new Request(`http://node.test/api/social/parcels/${street}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/octet-stream',
          'idempotency-key': 'parcel-1',
          ...headers,
        },
        body: ReadableStream.from(pieces(fill, until)),
        duplex: 'half',
      }),
    );
    return { status: answer.status, text: await answer.text() };
  }
  const codeOf = ({ text }: { readonly text: string }): string =>
    (JSON.parse(text) as { readonly error: { readonly reason: string } }).error.reason;
  const replies = async () => await house.ctx.db.selectFrom('idempotency_keys').select('key_hash').execute();
  const doors = async () => {
    const rows = house.ctx.db.selectFrom('jobs').select('id').where('kind', 'like', 'parcels of %');
    return (await rows.execute()).length;
  };

  it('is answered as before without being read, where its digest says what it is', async () => {
    const first = await send({ headers: digestOf('a') });
    expect([first.status, post.read, sent]).toEqual([201, WHOLE, WHOLE]);
    const blocks = await house.ctx.blocks.stat();
    for (let repeat = 0; repeat < 3; repeat += 1) expect(await send({ headers: digestOf('a') })).toEqual(first);
    expect(post.read).toBe(WHOLE);
    // What the stream of a request takes in advance, and no more.
    expect(sent).toBeLessThanOrEqual(WHOLE + 3 * 2 * PIECE);
    expect([await doors(), await house.ctx.blocks.stat()]).toEqual([1, blocks]);
    expect(JSON.parse(first.text).data).toEqual({ number: 1, size: WHOLE });
  });

  it('is answered as before without a digest too: it is compared, and nothing is stored', async () => {
    const first = await send();
    const blocks = await house.ctx.blocks.stat();
    for (const again of [await send(), await send({ headers: digestOf('a') }), await send()])
      expect(again).toEqual(first);
    expect([post.read, await doors(), await house.ctx.blocks.stat()]).toEqual([WHOLE, 1, blocks]);
    // Half of it is no repeat, and doesn't end the first one.
    expect(codeOf(await send({ until: WHOLE / 2 }))).toBe('VALIDATION_ERROR');
    expect(await send()).toEqual(first);
  });

  it('is refused with another content, type or place', async () => {
    const first = await send({ headers: digestOf('a') });
    const blocks = await house.ctx.blocks.stat();
    for (const other of [
      await send({ fill: 'b' }),
      await send({ fill: 'b', headers: digestOf('b') }),
      await send({ headers: { 'content-type': 'image/png' } }),
      await send({ headers: { ...digestOf('a'), 'content-type': 'image/png' } }),
      await send({ street: 'side' }),
    ]) {
      expect([other.status, codeOf(other)]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    }
    expect([post.read, await doors(), await house.ctx.blocks.stat()]).toEqual([WHOLE, 1, blocks]);
    expect((await send({ fill: 'b', headers: { 'idempotency-key': 'parcel-2' } })).status).toBe(201);
    expect(await send({ headers: digestOf('a') })).toEqual(first);
  });

  it('that breaks off leaves nothing kept, and is free to be sent again', async () => {
    for (const headers of [{}, digestOf('a')]) {
      expect(codeOf(await send({ until: WHOLE / 2, headers }))).toBe('VALIDATION_ERROR');
      expect([await replies(), await doors(), (await house.ctx.blocks.stat()).blocks]).toEqual([[], 0, 0]);
    }
    const wrong = await send({ headers: digestOf('b') });
    expect([codeOf(wrong), await replies(), await doors()]).toEqual(['DIGEST_MISMATCH', [], 0]);
    expect(JSON.parse((await send()).text).data.number).toBe(1);
  });

  it('is carried out once, however many come at once', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => send()));
    for (const one of all) expect(one).toEqual(all[0]);
    expect([all[0]!.status, await doors(), (await house.ctx.blocks.stat()).blocks]).toEqual([201, 1, 1]);
    const mixed = await Promise.all(
      ['a', 'b', 'c'].map((fill) => send({ fill, headers: { 'idempotency-key': 'mixed' } })),
    );
    expect(mixed.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect((await house.ctx.blocks.stat()).blocks).toBeLessThanOrEqual(2);
  });

  it('is nothing to whom the right was taken away', async () => {
    expect((await send({ headers: digestOf('a') })).status).toBe(201);
    post.closed.add('main');
    const fresh = await send({ headers: { 'idempotency-key': 'another' } });
    for (const repeat of [await send(), await send({ headers: digestOf('a') }), await send({ fill: 'b' })])
      expect(repeat).toEqual(fresh);
    expect([fresh.status, codeOf(fresh), post.read]).toEqual([404, 'NOT_FOUND', WHOLE]);
  });

  it('keeps no reply before its end', async () => {
    post.early = true;
    expect((await send()).status).toBe(500);
    expect([await replies(), await doors()]).toEqual([[], 0]);
    expect(JSON.stringify(house.log.lines)).toContain('has not read the body to its end');
  });

  it('is what a client sends, so that an answer that got lost is asked for again', async () => {
    const within = sendWithin(house.fetch);
    let lost = 1;
    const transport: Transport = {
      async send(request, signal) {
        const reply = await within(request, signal);
        if (lost > 0) {
          lost -= 1;
          throw new Problem('network', 'NETWORK', 'The line is cut.');
        }
        return reply;
      },
      [Symbol.asyncDispose]: async () => {},
    };
    const caller: Caller = { transport, place: 'the node', userAgent: 'test', tokenFor: async () => token };
    const content = { type: 'image/png', size: WHOLE, pieces: () => pieces('a', WHOLE) };
    const reply = { number: 1, size: WHOLE };
    expect(await upload(caller, parcels.send, { street: 'main' }, content)).toEqual(reply);
    expect([await doors(), lost, post.read]).toEqual([1, 0, WHOLE]);
    expect(await upload(caller, parcels.send, { street: 'main' }, content)).toEqual({ ...reply, number: 2 });
  });
});
