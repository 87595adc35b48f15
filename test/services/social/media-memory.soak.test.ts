import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/service/actor.ts';
import { dropBlockHandler } from '../../../src/shared/attachments/blocks.ts';
import { purgeMedia } from '../../../src/services/social/media/purge.ts';
import { uploadMedia } from '../../../src/services/social/media/uploading.ts';
import { Problem } from '../../../src/base/problem.ts';
import { ftyp, moov, track } from '../../shared/attachments/media-files.ts';
import { memoryKept } from '../../support/memory-kept.ts';
import { png } from '../filevault/pictures.ts';
import { openMedia } from './media-scene.ts';

const MEBIBYTE = 1024 ** 2;
const described = { altText: '', sensitive: false };

describe('an upload for a post', () => {
  it.each([undefined, 3_000])('has memory reserved before a picture takes it (declared: %s)', async (size) => {
    await using scene = await openMedia('sqljs');
    let taken = 0;
    const reserved: number[] = [];
    const picture = png(8, 8, Buffer.alloc(200));
    const body = (async function* () {
      for (let piece = 0; piece < 3; piece += 1) {
        taken += 1;
        yield Buffer.concat([picture, Buffer.alloc(1_000 - picture.length)]);
      }
    })();
    const full = new Problem('unavailable', 'OVERLOADED', 'no room');
    const caller = {
      signal: new AbortController().signal,
      reserve(bytes: number) {
        reserved.push(bytes);
        throw full;
      },
    };
    const ctx = { ...scene.house.ctx, caller };
    const upload = uploadMedia(ctx, scene.ada as unknown as Actor, described, { type: '', size, digests: {}, body });
    await expect(upload).rejects.toBe(full);
    // Its first bytes say what it is.
    expect([taken, reserved, await scene.bytes()]).toEqual([1, [size ?? 1_000], 0]);
  });

  it('is refused for the quota before a byte of it is read', async () => {
    await using scene = await openMedia('sqljs');
    let taken = 0;
    const body = (async function* () {
      taken += 1;
      yield new Uint8Array(1);
    })();
    const { ctx } = scene.house;
    const config = { ...ctx.config, storage: { ...ctx.config.storage, perMemberBytes: 1_000 } };
    for (const size of [1_001, undefined]) {
      const upload = { type: '', size, digests: {}, body };
      await expect(
        uploadMedia({ ...ctx, config }, scene.ada as unknown as Actor, described, upload),
      ).rejects.toMatchObject({ code: 'STORAGE_QUOTA_EXCEEDED' });
    }
    expect(taken).toBe(0);
  });

  it('that is a video takes no memory of its size', { tags: 'thorough' }, async () => {
    await using scene = await openMedia('sqljs');
    const before = memoryKept();
    let most = 0;
    const samples = 60 * MEBIBYTE;
    const head = Buffer.alloc(8);
    head.writeUInt32BE(8 + samples);
    head.write('mdat', 4);
    const index = moov(track('vide', 640, 480));
    const body = (async function* () {
      yield Buffer.concat([ftyp, index, head]);
      for (let left = samples; left > 0; left -= 64 * 1024) {
        if (left % (8 * MEBIBYTE) === 0) {
          // What the first look finds unused is given back after it.
          memoryKept();
          most = Math.max(most, memoryKept() - before);
        }
        yield new Uint8Array(64 * 1024);
      }
    })();
    const size = ftyp.length + index.length + head.length + samples;
    const upload = { type: 'video/mp4', size, digests: {}, body };
    const made = await uploadMedia(scene.house.ctx, scene.ada as unknown as Actor, described, upload);
    expect(made).toMatchObject({ mimeType: 'video/mp4', size, width: 640, height: 480 });
    expect(most).toBeLessThan(16 * MEBIBYTE);
    const part = await scene.get(made['_id'], { range: `bytes=${size - 5}-` });
    expect([part.status, part.headers.get('content-range'), part.bytes.length]).toEqual([
      206,
      `bytes ${size - 5}-${size - 1}/${size}`,
      5,
    ]);
  });

  it('that dies with its process leaves nothing when its hour is over', async () => {
    await using scene = await openMedia('sqljs');
    const { house, ada } = scene;
    const samples = 40 * MEBIBYTE;
    const head = Buffer.alloc(8);
    head.writeUInt32BE(8 + samples);
    head.write('mdat', 4);
    let goOn: () => void = () => undefined;
    const stopped = new Promise<void>((resolve) => (goOn = resolve));
    let arrived: () => void = () => undefined;
    const written = new Promise<void>((resolve) => (arrived = resolve));
    const body = (async function* () {
      yield Buffer.concat([ftyp, moov(track('vide', 640, 480)), head]);
      for (let sent = 0; sent < 20 * MEBIBYTE; sent += 64 * 1024) yield new Uint8Array(64 * 1024);
      arrived();
      await stopped;
      throw new Error('gone');
    })();
    const upload = { type: 'video/mp4', size: samples, digests: {}, body };
    const dying = uploadMedia(house.ctx, ada as unknown as Actor, described, upload).catch((error: unknown) => error);
    await written;
    const blocks = async () => {
      const found = [];
      for await (const { id } of house.ctx.blocks.list()) found.push(id);
      return found;
    };
    expect([(await blocks()).length, await scene.bytes()]).toEqual([1, samples]);
    house.clock.advance(3_600_000);
    await purgeMedia(house.ctx);
    const drop = dropBlockHandler(house.ctx);
    const jobs = await house.ctx.db.selectFrom('jobs').selectAll().where('kind', '=', 'drop-block').execute();
    expect(jobs.map(({ run_at: at }) => at <= house.clock.now())).toEqual([true]);
    for (const { payload } of jobs) await drop(JSON.parse(payload), {} as never);
    expect([await blocks(), await scene.bytes()]).toEqual([[], 0]);
    expect(await house.ctx.db.selectFrom('social_media').selectAll().execute()).toEqual([]);
    goOn();
    expect(await dying).toMatchObject({ message: 'gone' });
    expect(await scene.bytes()).toBe(0);
  });
});
