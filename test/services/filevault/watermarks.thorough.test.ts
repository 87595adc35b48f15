import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/service/actor.ts';
import { Problem } from '../../../src/base/problem.ts';
import { readWatermark } from '../../../src/services/filevault/watermarks/reading.ts';
import { encodePng } from '../../../src/shared/attachments/images/codec.ts';
import { decode } from '../../../src/shared/attachments/images/decode.ts';
import { markText } from '../../../src/services/filevault/watermarks/text.ts';
import { engines } from '../../support/stores.ts';
import { noise, png } from './pictures.ts';
import { openScene, said } from './scene.ts';
import { marked, preview, read } from './watermarked.ts';

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
    const source = noise(300, 200);
    const id = await scene.file(source, { type: 'image/png' });
    await marked(scene, id, false, true);
    const { status, headers, bytes } = await preview(scene, id);
    expect([status, headers.get('content-type')]).toEqual([200, 'image/png']);
    const [before, after] = [await decode(source), await decode(bytes)];
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
    const changed = (await decode(drawn.bytes)).bytes.filter(
      (byte, at) => Math.abs(byte - (before.bytes[at] ?? 0)) > 20,
    );
    expect(changed.length).toBeGreaterThan(2_000);
    expect(changed.length).toBeLessThan(before.bytes.length / 2);
    expect((await read(scene, drawn.bytes)).status).toBe(200);
  });

  it('serve nothing where they are impossible', async () => {
    await using scene = await openScene(engine);
    const files: readonly (readonly [string, string | Uint8Array, string])[] = [
      ['image/heic', 'no matter', 'files of this type cannot be marked'],
      ['application/pdf', 'no matter', 'files of this type cannot be marked'],
      ['video/mp4', 'no matter', 'files of this type cannot be marked'],
      ['image/svg+xml', '<svg/>', 'files of this type cannot be marked'],
      ['image/png', 'no image', 'it is no JPEG, PNG, WebP, GIF or BMP'],
      ['image/jpeg', noise(200, 60), 'it says image/jpeg and is image/png'],
      ['image/png', png(40_000, 40_000, Buffer.alloc(10)), 'the image is too large'],
      ['image/png', noise(200, 60).subarray(0, -20), 'it is damaged'],
      ['image/png', noise(8, 8), 'the image is too small'],
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

  it('are read from a text in which somebody put a great many ids', { tags: 'soak' }, async () => {
    await using scene = await openScene(engine);
    const codes = Array.from({ length: 70_000 }, (_, at) =>
      markText(new Uint8Array(), { visible: undefined, id: at.toString(16).padStart(16, '0') }),
    );
    expect(said(await read(scene, Buffer.concat(codes)))).toBe('404 WATERMARK_NOT_FOUND');
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

describe('reading a watermark', () => {
  it.each([undefined, 1_000])('reserves memory before it takes more than that (declared: %s)', async (size) => {
    await using scene = await openScene('sqljs');
    let taken = 0;
    const reserved: number[] = [];
    const body = (async function* () {
      taken += 1;
      yield new Uint8Array(1_000);
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
    expect([taken, reserved]).toEqual([size === undefined ? 1 : 0, [1_000]]);
  });
});
