import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/actor.ts';
import { filevaultLimits } from '../../../src/contract/filevault/limits.ts';
import { Problem } from '../../../src/problem.ts';
import { codeIn, drawLines, hideCode } from '../../../src/services/filevault/watermarks/image.ts';
import { decodePng, encodePng } from '../../../src/services/filevault/watermarks/png.ts';
import { readWatermark } from '../../../src/services/filevault/watermarks/reading.ts';
import { engines } from '../../support/stores.ts';
import { openScene, said, type Scene } from './scene.ts';

interface PngOptions {
  readonly depth?: number;
  readonly color?: number;
  readonly interlace?: number;
  readonly more?: readonly (readonly [string, Uint8Array])[];
}

function chunk(type: string, content: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(content.length, 0);
  numbers.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([numbers.subarray(0, 4), named, numbers.subarray(4)]);
}

/** @param raw rows, each with the number of its filter before it */
function png(width: number, height: number, raw: Uint8Array, options: PngOptions = {}): Buffer {
  const { depth = 8, color = 2, interlace = 0, more = [] } = options;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, color, 0, 0, interlace], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    ...more.map(([type, content]) => chunk(type, content)),
    chunk('IDAT', deflateSync(raw)),
    chunk('IEND', new Uint8Array()),
  ]);
}

/** An image of noise. */
function picture(width: number, height: number): Buffer {
  const rows = Array.from({ length: height }, () => Buffer.concat([Buffer.of(0), randomBytes(width * 3)]));
  return png(width, height, Buffer.concat(rows));
}

async function preview(scene: Scene, id: string, token = scene.owner.token, headers: Record<string, string> = {}) {
  const answer = await scene.house.fetch(
    new Request(`http://house.test/filevault/files/${id}/preview`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
    }),
  );
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

const read = async (scene: Scene, bytes: Uint8Array, token = scene.owner.token) =>
  await scene.call('POST', '/watermark/read', undefined, {
    token,
    rawBody: Uint8Array.from(bytes),
    headers: { 'content-type': 'application/octet-stream' },
  });

async function marked(scene: Scene, id: string, visible: boolean, invisible: boolean): Promise<void> {
  await scene.get('PATCH', `/files/${id}`, { visibleWatermark: visible, invisibleWatermark: invisible });
}

describe.each(engines)('watermarks on %s', (engine) => {
  it('show in a text who saw it and when, and hide an id by which its reader is found', async () => {
    await using scene = await openScene(engine);
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index} žluť`).join('\r\n');
    const id = await scene.file(lines, { type: 'text/markdown' });
    expect((await preview(scene, id)).bytes.toString()).toBe(lines);
    await marked(scene, id, true, true);
    const member = await scene.house.register({ username: 'bob' });
    await scene.grant('file', id, { principalId: member.memberId, flags: ['read', 'preview'] });
    const { status, headers, bytes } = await preview(scene, id, member.token, { range: 'bytes=0-9' });
    expect([status, headers.get('accept-ranges'), headers.get('content-type')]).toEqual([
      200,
      null,
      'text/plain; charset=utf-8',
    ]);
    expect(headers.get('x-access-receipt')).toMatch(/^v1\./);
    const text = bytes.toString();
    const line = '[Shown to bob on 2026-01-15 12:00 UTC]';
    expect([text.startsWith(`${line}\n`), text.endsWith(`${line}\n`)]).toEqual([true, true]);
    expect(text.replaceAll(/[\u200b\u200c\u2060]/g, '')).toBe(`${line}\n\n${lines}\n\n${line}\n`);
    const found = await read(scene, bytes);
    expect(found.body.accesses).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        fileId: id,
        versionId: expect.any(String),
        vaultContainerId: scene.containerId,
        memberId: member.memberId,
        username: 'bob',
        address: expect.any(String),
        at: '2026-01-15T12:00:00.000Z',
      },
    ]);
    // Some copied lines are enough.
    const part = text.split('\n').slice(10, 12).join('\n');
    expect((await read(scene, Buffer.from(part))).body).toEqual(found.body);
    const events = await scene.house.ctx.db
      .selectFrom('file_audit')
      .select(['action', 'member_id', 'metadata'])
      .where('action', '=', 'FILE_PREVIEWED')
      .orderBy('ledger_entry', 'desc')
      .execute();
    expect(events[0]).toMatchObject({ member_id: member.memberId });
    expect(JSON.parse(events[0]!.metadata!)).toMatchObject({ watermark: found.body.accesses[0].id });
    // Another access, another id; and a download has none.
    const again = await read(scene, (await preview(scene, id, member.token)).bytes);
    expect(again.body.accesses[0].id).not.toBe(found.body.accesses[0].id);
    expect((await scene.read(id)).bytes.toString()).toBe(lines);
    expect(said(await scene.call('GET', `/files/${id}`, undefined, { token: member.token }))).toBe('403 FORBIDDEN');
    // To others it says nothing.
    for (const token of [member.token, (await scene.house.register()).token])
      expect(said(await read(scene, bytes, token))).toBe('404 WATERMARK_NOT_FOUND');
    expect(said(await read(scene, Buffer.from(lines)))).toBe('404 WATERMARK_NOT_FOUND');
  });

  it('are in the pixels of images, also of a part that was cut out, and the image stays what it was', async () => {
    await using scene = await openScene(engine);
    const source = picture(300, 200);
    const id = await scene.file(source, { type: 'image/png' });
    await marked(scene, id, false, true);
    const { status, headers, bytes } = await preview(scene, id);
    expect([status, headers.get('content-type')]).toEqual([200, 'image/png']);
    const [before, after] = [decodePng(source), decodePng(bytes)];
    expect([after.width, after.height]).toEqual([300, 200]);
    const moved = after.bytes.filter((byte, at) => Math.abs(byte - (before.bytes[at] ?? 0)) > 1);
    expect(moved).toHaveLength(0);
    const found = (await read(scene, bytes)).body.accesses;
    expect(found).toMatchObject([{ fileId: id, memberId: scene.owner.memberId }]);
    const [left, top, width, height] = [37, 53, 100, 80];
    const cut = new Uint8Array(width * height * 4);
    for (let y = 0; y < height; y += 1)
      cut.set(after.bytes.subarray(((top + y) * 300 + left) * 4, ((top + y) * 300 + left + width) * 4), y * width * 4);
    // Some pixels change on the way.
    for (let at = 0; at < cut.length; at += 41) cut[at]! ^= 1;
    expect((await read(scene, encodePng({ width, height, bytes: cut }))).body.accesses).toEqual(found);

    await marked(scene, id, true, true);
    const drawn = await preview(scene, id);
    const changed = decodePng(drawn.bytes).bytes.filter((byte, at) => Math.abs(byte - (before.bytes[at] ?? 0)) > 20);
    expect(changed.length).toBeGreaterThan(2_000);
    expect(changed.length).toBeLessThan(before.bytes.length / 2);
    expect((await read(scene, drawn.bytes)).status).toBe(200);
  });

  it('serve nothing where they are impossible', async () => {
    await using scene = await openScene(engine);
    const good = picture(200, 60);
    const wrongSum = Buffer.from(good);
    wrongSum[wrongSum.length - 30]! ^= 1;
    const huge = png(50_001, 1, Buffer.alloc(10));
    const files: readonly (readonly [string, string | Uint8Array, string])[] = [
      ['image/jpeg', 'no matter', 'files of this type cannot be marked'],
      ['image/webp', 'no matter', 'files of this type cannot be marked'],
      ['application/pdf', 'no matter', 'files of this type cannot be marked'],
      ['video/mp4', 'no matter', 'files of this type cannot be marked'],
      ['image/svg+xml', '<svg/>', 'files of this type cannot be marked'],
      ['image/png', 'no image', 'it is neither PNG nor BMP'],
      ['image/png', wrongSum, 'a checksum is wrong'],
      ['image/png', good.subarray(0, good.length - 20), 'it breaks off'],
      ['image/png', png(200, 60, Buffer.alloc(60 * 601 - 1)), 'it has too few pixels'],
      // A bomb: the header announces little, and the data is more.
      ['image/png', png(200, 60, Buffer.alloc(30_000_000)), 'its pixels cannot be unpacked'],
      ['image/png', huge, 'the image is too large'],
      ['image/png', png(40_000, 40_000, Buffer.alloc(10)), 'the image is too large'],
      ['image/png', png(0, 5, Buffer.alloc(10)), 'the image has no pixels'],
      ['image/png', png(200, 60, Buffer.alloc(60 * 601), { interlace: 1 }), 'it is interlaced'],
      ['image/png', png(200, 60, Buffer.alloc(60 * 601, 7)), 'a row has an unknown filter'],
      ['image/png', png(8, 8, Buffer.alloc(8 * 25)), 'the image is too small'],
      ['image/png', png(200, 60, Buffer.alloc(60 * 201), { color: 3 }), 'it has no palette'],
      ['text/plain', Buffer.from([0xff, 0xfe, 0x41, 0x00]), 'the text is not UTF-8'],
    ];
    for (const [type, content, why] of files) {
      const id = await scene.file(content, { type });
      await marked(scene, id, true, true);
      const answer = await scene.call('GET', `/files/${id}/preview`);
      expect([said(answer), answer.body.message], why).toEqual([
        '409 WATERMARK_IMPOSSIBLE',
        `The file is shown with a watermark alone, and that is not possible: ${why}.`,
      ]);
    }
  });

  it('check 28: no bomb is unpacked where a watermark is read, nor where a file is only stored and sent', async () => {
    await using scene = await openScene(engine);
    const ask = async (bytes: Uint8Array) => said(await read(scene, bytes));
    for (const bomb of [
      png(40_000, 40_000, Buffer.alloc(10)),
      png(200, 60, Buffer.alloc(30_000_000)),
      png(50_001, 1, Buffer.alloc(10)),
      Buffer.from('\u200b'.repeat(200_000)),
      Buffer.from('<!DOCTYPE a [<!ENTITY b "cc"><!ENTITY d "&b;&b;">]><a>&d;</a>'),
    ])
      expect(await ask(bomb)).toMatch(/^404 WATERMARK_NOT_FOUND$|^4\d\d /);
    // Without a watermark nothing is decoded: the bytes go out as they came.
    const bomb = png(200, 60, Buffer.alloc(30_000_000));
    const id = await scene.file(bomb, { type: 'image/png' });
    const shown = await scene.house.fetch(
      new Request(`http://house.test/filevault/files/${id}/preview`, {
        headers: { authorization: `Bearer ${scene.owner.token}` },
      }),
    );
    expect(Buffer.from(await shown.arrayBuffer()).equals(bomb)).toBe(true);
  });

  it('are set by those who administer a file, and by default in a container', async () => {
    await using scene = await openScene(engine);
    const before = await scene.file('x');
    await scene.get('PATCH', `/vaults/${scene.containerId}`, { visibleWatermark: true });
    const id = await scene.file('x', { type: 'text/plain' });
    const flags = async (file: string) => {
      const { visibleWatermark, invisibleWatermark } = await scene.get('GET', `/files/${file}/metadata`);
      return [visibleWatermark, invisibleWatermark];
    };
    expect([await flags(before), await flags(id)]).toEqual([
      [false, false],
      [true, false],
    ]);
    const member = await scene.house.register();
    const change = async (body: object) =>
      said(await scene.call('PATCH', `/files/${id}`, body, { token: member.token }));
    await scene.grant('file', id, { principalId: member.memberId, level: 'editor' });
    expect(await change({ visibleWatermark: false })).toBe('403 FORBIDDEN');
    expect(await change({ visibleWatermark: false, description: 'x' })).toBe('403 FORBIDDEN');
    expect(await change({ description: 'x' })).toBe('200 success');
    await scene.get('PUT', `/acl/file/${id}`, {
      entries: [{ principalId: member.memberId, flags: ['read', 'admin'] }],
    });
    expect(await change({ visibleWatermark: false, invisibleWatermark: true })).toBe('200 success');
    expect(await change({ invisibleWatermark: false, description: 'y' })).toBe('403 FORBIDDEN');
    expect(await flags(id)).toEqual([false, true]);
  });
});

describe('a PNG', () => {
  it('is decoded whatever its kind of pixels and filters', () => {
    const row = (filter: number, ...bytes: number[]) => [filter, ...bytes];
    const kinds: readonly (readonly [string, Buffer, readonly number[]])[] = [
      ['grey of 1 bit', png(3, 1, Buffer.from(row(0, 0b10100000)), { color: 0, depth: 1 }), [255, 0, 255]],
      ['grey of 4 bits', png(3, 1, Buffer.from(row(0, 0xf0, 0x80)), { color: 0, depth: 4 }), [255, 0, 136]],
      ['grey of 16 bits', png(2, 1, Buffer.from(row(0, 0x12, 0x34, 0xff, 0)), { color: 0, depth: 16 }), [0x12, 0xff]],
      ['grey with opacity', png(2, 1, Buffer.from(row(0, 9, 255, 7, 128)), { color: 4 }), [9, 7]],
      [
        'a palette',
        png(4, 1, Buffer.from(row(0, 0b01001000)), {
          color: 3,
          depth: 2,
          more: [['PLTE', Buffer.of(1, 1, 1, 2, 2, 2, 3, 3, 3)]],
        }),
        [2, 1, 3, 1],
      ],
      ['a filter to the left', png(3, 1, Buffer.from(row(1, 5, 1, 1)), { color: 0 }), [5, 6, 7]],
      ['a filter upwards', png(2, 2, Buffer.from([...row(0, 5, 6), ...row(2, 1, 1)]), { color: 0 }), [5, 6, 6, 7]],
      ['an average', png(2, 2, Buffer.from([...row(0, 4, 8), ...row(3, 1, 1)]), { color: 0 }), [4, 8, 3, 6]],
      ['a filter of Paeth', png(2, 2, Buffer.from([...row(4, 4, 8), ...row(4, 1, 1)]), { color: 0 }), [4, 12, 5, 13]],
    ];
    for (const [name, file, reds] of kinds) {
      const { bytes } = decodePng(file);
      expect(
        [...bytes].filter((_, at) => at % 4 === 0),
        name,
      ).toEqual(reds);
    }
  });

  it('is the same after encoding and decoding, and hides a code where there is room', () => {
    const pixels = { width: 90, height: 40, bytes: new Uint8Array(randomBytes(90 * 40 * 4)) };
    expect(decodePng(encodePng(pixels))).toEqual(pixels);
    const id = '0123456789abcdef';
    hideCode(pixels, id);
    expect(codeIn(decodePng(encodePng(pixels)))).toBe(id);
    expect(codeIn({ width: 90, height: 40, bytes: new Uint8Array(randomBytes(90 * 40 * 4)) })).toBeUndefined();
    expect(() => hideCode({ width: 5, height: 5, bytes: new Uint8Array(100) }, id)).toThrow('too small');
    expect(() => drawLines({ width: 20, height: 20, bytes: new Uint8Array(1600) }, ['ADA LOVELACE'])).toThrow(
      'too small',
    );
  });
});

describe('images that are broken', () => {
  it.each([0, 2, 3])('are read without a transparent colour that is cut off (type of colour %i)', (color) => {
    const samples = color === 2 ? 3 : 1;
    const palette = ['PLTE', new Uint8Array(3)] as const;
    const more = [...(color === 3 ? [palette] : []), ['tRNS', new Uint8Array(color === 2 ? 5 : 1)] as const];
    const file = png(2, 1, new Uint8Array(1 + 2 * samples), { color, more });
    expect(decodePng(file)).toMatchObject({ width: 2, height: 1 });
  });
});

describe('reading a watermark', () => {
  it.each([undefined, 1_000])('reserves the memory of the body before it takes it (declared: %s)', async (size) => {
    await using scene = await openScene('sqljs');
    let taken = 0;
    const reserved: number[] = [];
    const body = (async function* () {
      taken += 1;
      yield new Uint8Array(1_000);
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
    const actor = { kind: 'member', ...scene.owner } as unknown as Actor;
    await expect(readWatermark(ctx, actor, {}, { type: '', size, digests: {}, body })).rejects.toBe(full);
    expect([taken, reserved]).toEqual([0, [size ?? filevaultLimits.watermarkBytes]]);
  });
});
