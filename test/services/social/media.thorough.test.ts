import { describe, expect, it } from 'vitest';
import { pictureTask } from '../../../src/shared/attachments/tasks.ts';
import { transaction } from '../../../src/service/context.ts';
import {
  attachMedia,
  mediaOfPosts,
  releaseMedia,
  replacePicture,
} from '../../../src/services/social/media/attaching.ts';
import type { Offload } from '../../../src/service/ports/workers.ts';
import { purgeMedia } from '../../../src/services/social/media/purge.ts';
import { Problem } from '../../../src/base/problem.ts';
import type { Actor } from '../../../src/service/actor.ts';
import { encoded, gif, noise, oriented, pixelsOf, png, webp, webpChunk, webpHeader } from '../filevault/pictures.ts';
import { engines } from '../../support/stores.ts';
import { openMedia, said, type MediaScene } from './media-scene.ts';

const photo = oriented(encoded(pixelsOf(64, 48, (x) => [x * 3, 90, 40, 255])).jpeg, 6);
const small = gif(16, 16, (x) => x > 8);
const tiff = Buffer.concat([
  Buffer.from('II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0', 'latin1'),
  Buffer.from('SECRET PLACE'),
]);
const losslessPixels = encoded(pixelsOf(8, 4, () => [1, 2, 3, 255])).webp.subarray(12);
const DAY = 24 * 3_600_000;

const actorOf = ({ ada }: MediaScene) => ada as unknown as Actor;
const blocks = async ({ house }: MediaScene) => {
  const found = [];
  for await (const block of house.ctx.blocks.list('')) found.push(block);
  return found.length;
};
const rows = async ({ house }: MediaScene) =>
  (await house.ctx.db.selectFrom('social_media').selectAll().execute()).length;
const attach = async (scene: MediaScene, postId: string, ids: readonly string[]) =>
  await transaction(
    scene.house.ctx,
    async (tx) =>
      await attachMedia(
        tx,
        actorOf(scene),
        postId,
        ids.map((id) => ({ _id: id })),
      ),
  );
const post = 'ab'.repeat(16);

describe.each(engines)('an upload for a post, on %s', (engine) => {
  it('is a picture without its place and as it was held, which its owner alone sees', async () => {
    await using scene = await openMedia(engine);
    expect(photo.includes('SECRET PLACE')).toBe(true);
    const made = await scene.uploaded(photo, '?altText=Ein%20Bild&sensitive=true');
    expect(made).toMatchObject({
      url: `/api/social/media/${made['_id']}`,
      mimeType: 'image/jpeg',
      width: 48,
      height: 64,
      altText: 'Ein Bild',
      sensitive: true,
      expiresAt: '2026-01-16T12:00:00.000Z',
    });
    const { status, headers, bytes } = await scene.get(made['_id']);
    expect([status, bytes.length, bytes.includes('SECRET'), bytes.includes('Exif')]).toEqual([
      200,
      made.size,
      false,
      true,
    ]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-disposition': `inline; filename="${made['_id']}.jpg"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
      'content-security-policy': "default-src 'none'; sandbox",
      etag: `"${made['_id']}"`,
    });
    expect(await scene.bytes()).toBe(made.size);
    const part = await scene.get(made['_id'], { range: 'bytes=10-19' });
    expect([part.status, part.bytes]).toEqual([206, bytes.subarray(10, 20)]);
    const bob = await scene.house.register();
    for (const id of [made['_id'], '0'.repeat(32)])
      expect((await scene.get(id, { 'if-none-match': '*' }, bob)).status).toBe(404);
    expect(said(await scene.call('PUT', made['_id'], { altText: 'x' }, bob))).toBe('404 MEDIA_NOT_FOUND');
    expect(said(await scene.call('DELETE', made['_id'], undefined, bob))).toBe('404 MEDIA_NOT_FOUND');
    expect((await scene.house.api('GET', `/api/social/media/${made['_id']}`)).status).toBe(401);
  });

  it.each([
    ['PNG', png(8, 4, Buffer.alloc(100), { more: [['eXIf', tiff]] }), 'image/png'],
    ['WebP', webp(webpHeader(8, 8, 4), losslessPixels, webpChunk('EXIF', tiff)), 'image/webp'],
  ])('that is a %s is as it was held, too', async (_, file, mimeType) => {
    await using scene = await openMedia(engine);
    const made = await scene.uploaded(file);
    expect(made).toMatchObject({ mimeType, width: 4, height: 8 });
    const { bytes } = await scene.get(made['_id']);
    expect([bytes.includes('SECRET'), bytes.includes('MM\0*')]).toEqual([false, true]);
    expect(await scene.uploaded(bytes)).toMatchObject({ width: 4, height: 8, size: bytes.length });
  });

  it('is described while it waits, and deleted with its blocks and bytes', async () => {
    await using scene = await openMedia(engine);
    const made = await scene.uploaded(noise(300, 300));
    expect([await blocks(scene), made.mimeType]).toEqual([1, 'image/png']);
    const changed = await scene.call('PUT', made['_id'], { altText: 'Noise' });
    expect(changed.body.data).toEqual({ ...made, altText: 'Noise' });
    expect((await scene.call('PUT', made['_id'], { sensitive: true })).body.data).toMatchObject({
      altText: 'Noise',
      sensitive: true,
    });
    expect(said(await scene.call('PUT', made['_id'], { altText: 'x'.repeat(1001) }))).toBe('400 VALIDATION_ERROR');
    expect((await scene.call('DELETE', made['_id'])).status).toBe(204);
    expect([await blocks(scene), await scene.bytes(), await rows(scene)]).toEqual([0, 0, 0]);
    expect(said(await scene.call('DELETE', made['_id']))).toBe('404 MEDIA_NOT_FOUND');
  });

  it('expires after a day by the clock, and is then cleared away', async () => {
    await using scene = await openMedia(engine);
    const made = await scene.uploaded(noise(300, 300));
    scene.house.clock.advance(DAY - 1);
    expect((await scene.get(made['_id'])).status).toBe(200);
    await purgeMedia(scene.house.ctx);
    scene.house.clock.advance(1);
    const token = await scene.house.signIn(scene.ada);
    const ada = { ...scene.ada, token };
    expect((await scene.get(made['_id'], {}, ada)).status).toBe(404);
    expect(said(await scene.call('DELETE', made['_id'], undefined, ada))).toBe('404 MEDIA_NOT_FOUND');
    await expect(attach(scene, post, [made['_id']])).rejects.toMatchObject({ code: 'INVALID_MEDIA' });
    expect(await scene.bytes()).toBe(made.size);
    await purgeMedia(scene.house.ctx);
    expect([await blocks(scene), await scene.bytes(), await rows(scene)]).toEqual([0, 0, 0]);
  });

  it('is what it is, and not what its sender says', async () => {
    await using scene = await openMedia(engine);
    const asPng = await scene.upload(small, { headers: { 'content-type': 'image/png' } });
    expect(asPng.body.data).toMatchObject({ mimeType: 'image/gif', width: 16, height: 16 });
    const untyped = await scene.house.fetch(
      new Request('http://house.test/api/social/media', {
        method: 'POST',
        headers: { authorization: `Bearer ${scene.ada.token}`, 'content-length': String(small.length) },
        body: new Uint8Array(small),
      }),
    );
    expect([untyped.status, await untyped.json()]).toMatchObject([201, { data: { mimeType: 'image/gif' } }]);
    for (const [name, file] of Object.entries({
      svg: '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      html: '<!doctype html><script>alert(1)</script>',
      pdf: '%PDF-1.7\n',
      zip: 'PK\x03\x04',
      text: 'hello',
      nothing: '',
      quicktime: '\0\0\0\x14ftypqt  \0\0\0\0qt  ',
      avif: '\0\0\0\x14ftypavif\0\0\0\0avif',
    }))
      expect(
        said(await scene.upload(Buffer.from(file, 'latin1'), { headers: { 'content-type': 'image/png' } })),
        name,
      ).toBe('415 UNSUPPORTED_MEDIA_TYPE');
    expect(await rows(scene)).toBe(2);
  });

  it('is refused with its reason where it is hostile, and leaves nothing', async () => {
    await using scene = await openMedia(engine);
    const wide = (width: number, height: number) => png(width, height, Buffer.alloc(10));
    const vp8l = webpChunk('VP8L', Buffer.alloc(6));
    const still = encoded(pixelsOf(8, 8, () => [1, 2, 3, 255])).jpeg;
    const trailer = Buffer.of(0x3b);
    const frame = small.subarray(19, -1);
    for (const [name, file, reason] of [
      ['50,000 by 50,000', wide(50_000, 50_000), '413 MEDIA_TOO_LARGE'],
      ['a long side', wide(8_193, 1), '413 MEDIA_TOO_LARGE'],
      ['too many pixels', wide(8_192, 4_097), '413 MEDIA_TOO_LARGE'],
      ['no pixels', wide(0, 5), '400 MEDIA_DAMAGED'],
      ['a large WebP', webp(webpHeader(0, 16_000, 16_000), vp8l), '413 MEDIA_TOO_LARGE'],
      ['a large frame', gif(16, 16, () => true, [60_000, 60_000]), '413 MEDIA_TOO_LARGE'],
      [
        'many frames',
        Buffer.concat([small.subarray(0, 19), ...Array.from({ length: 1_001 }, () => frame), trailer]),
        '413 MEDIA_TOO_LARGE',
      ],
      ['a cut JPEG', still.subarray(0, -2), '400 MEDIA_DAMAGED'],
      ['a cut PNG', noise(40, 40).subarray(0, -12), '400 MEDIA_DAMAGED'],
      [
        'a lying length',
        Buffer.concat([png(4, 4, Buffer.alloc(52)).subarray(0, 33), Buffer.from('7fffffffIDAT')]),
        '400 MEDIA_DAMAGED',
      ],
      [
        'a deep chain',
        Buffer.concat([small.subarray(0, 19), Buffer.alloc(1_000_000, '!\xf9\0', 'latin1')]),
        '400 MEDIA_DAMAGED',
      ],
      ['17 MiB', Buffer.concat([still, Buffer.alloc(16 * 1024 ** 2)]), '413 MEDIA_TOO_LARGE'],
    ] as const)
      expect(said(await scene.upload(file)), name).toBe(reason);
    // The limits themselves are allowed.
    expect(said(await scene.upload(wide(8_192, 4_096)))).toBe('201 success');
    await scene.call(
      'DELETE',
      (await scene.house.ctx.db.selectFrom('social_media').select('id').executeTakeFirstOrThrow()).id,
    );
    expect([await rows(scene), await scene.bytes(), await blocks(scene)]).toEqual([0, 0, 0]);
  });

  it('is checked in a thread, whose memory is bounded, whatever is in it', async () => {
    await using plain = await openMedia(engine);
    const ran: string[] = [];
    let full = false;
    const noted = (offload: Offload): Offload => ({
      of: (owner) => noted(offload.of(owner)),
      async run(task, input, options) {
        ran.push(task.name);
        // As when the work needs more memory than the task allows.
        if (full) throw new Problem('tooLarge', 'PAYLOAD_TOO_LARGE', 'Too large.');
        return await offload.run(task, input, options);
      },
    });
    await using scene = await openMedia(engine, { context: { offload: noted(plain.house.ctx.offload) } });
    const still = png(8, 8, Buffer.alloc(200));
    // A million parts, each of which a list would have an entry for.
    const chunk = Buffer.from('00000000744558749642c585', 'hex');
    const parts = Buffer.concat([still.subarray(0, 33), Buffer.alloc(15 * 1024 ** 2, chunk), still.subarray(33)]);
    const endings = [];
    for (const file of [still, small, parts]) {
      ran.length = 0;
      endings.push([said(await scene.upload(file)), ran.includes(pictureTask.name)]);
    }
    expect(endings).toEqual([
      ['201 success', true],
      ['201 success', true],
      ['201 success', true],
    ]);
    full = true;
    expect(said(await scene.upload(parts))).toBe('413 MEDIA_TOO_LARGE');
  });

  it('loses what stands behind the picture', async () => {
    await using scene = await openMedia(engine);
    const polyglot = Buffer.concat([small, Buffer.from('<script>alert(1)</script>PK\x03\x04')]);
    const made = await scene.uploaded(polyglot);
    expect((await scene.get(made['_id'])).bytes).toEqual(small);
  });
});

describe.each(engines)('the storage quota of uploads, on %s', (engine) => {
  it('holds exactly under 20 at once, and nothing is read beyond it', async () => {
    const file = noise(60, 60);
    const room = 5;
    await using scene = await openMedia(engine, {});
    const { config } = scene.house.ctx;
    Object.assign(config.storage, { perMemberBytes: file.length * room });
    const answers = await Promise.all(Array.from({ length: 20 }, async () => await scene.upload(file)));
    const good = answers.filter(({ status }) => status === 201);
    const others = new Set(answers.filter(({ status }) => status !== 201).map(said));
    expect([good.length, [...others]]).toEqual([room, ['413 STORAGE_QUOTA_EXCEEDED']]);
    expect([await scene.bytes(), await rows(scene)]).toEqual([file.length * room, room]);
    await scene.call('DELETE', good[0]?.body.data['_id']);
    expect(said(await scene.upload(file))).toBe('201 success');
    expect(said(await scene.upload(file))).toBe('413 STORAGE_QUOTA_EXCEEDED');
  });

  it('gets back what was reserved for an upload that died', async () => {
    await using scene = await openMedia(engine);
    const { house, ada } = scene;
    // As a process leaves it that is killed between the reservation and the end.
    house.spoil();
    await scene.upload(small).catch(() => undefined);
    expect([await rows(scene), await scene.bytes()]).toEqual([0, 0]);
    await house.ctx.db
      .insertInto('social_media')
      .values({
        id: '1'.repeat(32),
        owner_id: ada.memberId,
        size: 1_000,
        expires_at: house.clock.now() + 3_600_000,
        created_at: house.clock.now(),
        mime_type: null,
        node_key: null,
        width: 0,
        height: 0,
        alt_text: '',
        sensitive: 0,
      })
      .execute();
    await house.ctx.db
      .insertInto('member_storage')
      .values({ member_id: ada.memberId, bytes: 1_000 })
      .onConflict((c) => c.column('member_id').doUpdateSet({ bytes: 1_000 }))
      .execute();
    expect((await scene.get('1'.repeat(32))).status).toBe(404);
    expect(said(await scene.call('DELETE', '1'.repeat(32)))).toBe('404 MEDIA_NOT_FOUND');
    house.clock.advance(3_600_000);
    await purgeMedia(house.ctx);
    expect([await rows(scene), await scene.bytes()]).toEqual([0, 0]);
  });

  it('is not taken twice by a request that is repeated', async () => {
    await using scene = await openMedia(engine);
    const headers = { 'idempotency-key': 'once' };
    const [first, second] = [await scene.upload(small, { headers }), await scene.upload(small, { headers })];
    expect([first.status, second.body.data]).toEqual([201, first.body.data]);
    expect(said(await scene.upload(photo, { headers }))).toBe('409 IDEMPOTENCY_KEY_REUSED');
    expect([await rows(scene), await scene.bytes()]).toEqual([1, small.length]);
  });

  it('has no more than 100 uploads that wait', { tags: 'soak' }, async () => {
    await using scene = await openMedia(engine);
    for (let count = 0; count < 100; count += 1) await scene.uploaded(small);
    expect(said(await scene.upload(small))).toBe('409 MEDIA_FULL');
    await scene.call(
      'DELETE',
      (await scene.house.ctx.db.selectFrom('social_media').select('id').executeTakeFirstOrThrow()).id,
    );
    expect(said(await scene.upload(small))).toBe('201 success');
  });
});

describe.each(engines)('a post with media, on %s', (engine) => {
  it('gets own uploads that wait, at most four, each once', async () => {
    await using scene = await openMedia(engine);
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push((await scene.uploaded(small, `?altText=${count}`))['_id']);
    const bob = await scene.house.register();
    const foreign = (await scene.upload(small, { who: bob })).body.data['_id'] as string;
    for (const [wanted, code] of [
      [ids, 'TOO_MANY_ATTACHMENTS'],
      [[ids[0], foreign], 'INVALID_MEDIA'],
      [[ids[0], 'f'.repeat(32)], 'INVALID_MEDIA'],
      [[ids[0], ids[0]], 'INVALID_MEDIA'],
    ] as const)
      await expect(attach(scene, post, wanted as string[]), code).rejects.toMatchObject({ code, kind: 'invalid' });
    const [second, first] = [ids[1] ?? '', ids[0] ?? ''];
    const shown = await attach(scene, post, [second, first]);
    expect(shown.map(({ _id, altText }) => [_id, altText])).toEqual([
      [second, '1'],
      [first, '0'],
    ]);
    expect((await mediaOfPosts(scene.house.ctx, [post, 'cd'.repeat(16)])).get(post)).toEqual(shown);
    await expect(attach(scene, 'cd'.repeat(16), [first])).rejects.toMatchObject({ code: 'INVALID_MEDIA' });
    expect(said(await scene.call('DELETE', first))).toBe('409 MEDIA_ATTACHED');
    expect(said(await scene.call('PUT', first, { altText: '' }))).toBe('409 MEDIA_ATTACHED');
    scene.house.clock.advance(2 * DAY);
    await purgeMedia(scene.house.ctx);
    expect([await rows(scene), await scene.bytes()]).toEqual([2, 2 * small.length]);
    await transaction(scene.house.ctx, async (tx) => await releaseMedia(tx, [post]));
    expect([await rows(scene), await scene.bytes(), await blocks(scene)]).toEqual([0, 0, 0]);
  });

  it('gets an upload that another post wants at the same time, or does not', async () => {
    await using scene = await openMedia(engine);
    const { _id: id } = await scene.uploaded(small);
    const posts = Array.from({ length: 6 }, (_, index) => `0${index}`.repeat(16));
    const done = await Promise.allSettled(posts.map(async (one) => await attach(scene, one, [id])));
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe.each(engines)('a profile picture, on %s', (engine) => {
  it('replaces the one before, which is deleted, and is a picture', async () => {
    await using scene = await openMedia(engine);
    const replace = async (before: string | null, after: string | null) =>
      await transaction(scene.house.ctx, async (tx) => {
        await replacePicture(tx, actorOf(scene), 'profilePictureId', { before, after });
      });
    const [first, second] = [(await scene.uploaded(small))['_id'], (await scene.uploaded(photo))['_id']];
    await replace(null, first);
    await expect(replace(first, first.replace(/^./, 'f'))).rejects.toMatchObject({ code: 'INVALID_MEDIA' });
    await replace(first, second);
    expect(await rows(scene)).toBe(1);
    await replace(second, null);
    expect([await rows(scene), await scene.bytes()]).toEqual([0, 0]);
  });
});
