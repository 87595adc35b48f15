import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import { openScene, said, sha256 } from './scene.ts';

const MEBIBYTE = 1024 ** 2;

describe.each(engines)('uploads on %s', (engine) => {
  it('stores a file of several chunks that come in any order', { tags: 'thorough' }, async () => {
    await using scene = await openScene(engine);
    const content = randomBytes(20 * MEBIBYTE + 12_345);
    const begun = await scene.begin(content.length, { name: 'film.mp4', type: 'video/mp4' });
    expect(begun.status).toBe(201);
    expect(begun.body).toMatchObject({ chunkSize: 8 * MEBIBYTE, totalChunks: 3 });
    const { sessionId } = begun.body;
    const part = (index: number) => content.subarray(index * 8 * MEBIBYTE, (index + 1) * 8 * MEBIBYTE);
    const last = await scene.chunk(sessionId, 2, part(2));
    expect(last.body).toEqual({
      chunkIndex: 2,
      chunksReceived: 1,
      totalChunks: 3,
      checksum: `sha256:${sha256(part(2))}`,
    });
    expect(await scene.get('GET', `/upload/${sessionId}/status`)).toMatchObject({
      status: 'in_progress',
      chunksReceived: 1,
      missing: '0-1',
    });
    const early = await scene.call('POST', `/upload/${sessionId}/finalize`, {});
    expect([said(early), early.body.message]).toEqual([
      '400 UPLOAD_INCOMPLETE',
      'Chunks are missing: 0-1. Send them, then finalize again.',
    ]);
    await Promise.all([0, 1].map(async (index) => await scene.chunk(sessionId, index, part(index))));
    const [one, other] = await Promise.all(
      [1, 2].map(async () => await scene.get('POST', `/upload/${sessionId}/finalize`, {})),
    );
    expect(one).toEqual(other);
    expect(one.metadata).toMatchObject({ fileName: 'film.mp4', sizeBytes: content.length, mimeType: 'video/mp4' });
    const { bytes, headers } = await scene.read(one.fileId);
    expect(sha256(bytes)).toBe(sha256(content));
    expect(headers.get('content-length')).toBe(String(content.length));
    expect(await scene.house.ctx.db.selectFrom('file_versions').selectAll().execute()).toHaveLength(1);
  });

  // Small blocks lie in the database; a thread reads large ones.
  it.each([10, 600_000])(
    'takes every form of a checksum of %i bytes, and refuses a wrong or unknown one',
    async (size) => {
      await using scene = await openScene(engine);
      const content = randomBytes(size);
      const { sessionId } = (await scene.begin(content.length)).body;
      const digest = createHash('sha256').update(content).digest();
      const good = [
        `sha256:${digest.toString('hex')}`,
        `SHA-256=:${digest.toString('base64')}:`,
        digest.toString('hex').toUpperCase(),
        digest.toString('base64'),
        createHash('sha3-512').update(content).digest('hex'),
      ];
      const send = async (checksum: string) =>
        said(await scene.chunk(sessionId, 0, content, { headers: { 'x-chunk-checksum': checksum } }));
      for (const checksum of good) expect(await send(checksum), checksum).toBe('200 success');
      for (const checksum of [`sha256:${'0'.repeat(64)}`, '0'.repeat(64), '0'.repeat(128)])
        expect(await send(checksum), checksum).toBe('400 CHECKSUM_MISMATCH');
      for (const checksum of ['crc32:1234', 'sha256:12', 'z'.repeat(64), '0'.repeat(40)])
        expect(await send(checksum), checksum).toBe('400 VALIDATION_ERROR');
    },
  );

  it('refuses indexes and sizes that are not those of the upload, and keeps nothing of them', async () => {
    await using scene = await openScene(engine);
    const { sessionId } = (await scene.begin(100)).body;
    const bytes = Buffer.alloc(100);
    for (const index of ['-1', '1.5', '1000000000', 'x'])
      expect(said(await scene.call('PUT', `/upload/${sessionId}/chunk/${index}`, undefined, { rawBody: bytes }))).toBe(
        '400 VALIDATION_ERROR',
      );
    expect(said(await scene.chunk(sessionId, 1, bytes))).toBe('400 VALIDATION_ERROR');
    for (const size of [0, 99, 101])
      expect(said(await scene.chunk(sessionId, 0, Buffer.alloc(size)))).toBe('400 CHUNK_SIZE_WRONG');
    for (const size of [0, -1, 1.5, 2 ** 53, 'many', null])
      expect(said(await scene.begin(size as number)), String(size)).toBe('400 VALIDATION_ERROR');
    expect(await scene.house.ctx.db.selectFrom('file_blocks').selectAll().execute()).toEqual([]);
    expect(await scene.get('GET', `/upload/${sessionId}/status`)).toMatchObject({ chunksReceived: 0, missing: '0' });
  });

  it.each([
    ['a row', 32 * 1024],
    ['a block file', MEBIBYTE],
  ])(
    'check 22: gives a chunk that is sent again another salt, with the same content and with another, and keeps the last one alone, in %s',
    async (place, size) => {
      await using scene = await openScene(engine);
      const [one, other] = [randomBytes(size), randomBytes(size)];
      const { sessionId } = (await scene.begin(size)).body;
      const { db, blocks } = scene.house.ctx;
      const stored = async () => {
        const rows = await db.selectFrom('file_blocks').selectAll().execute();
        expect(rows).toHaveLength(1);
        const { block_id: block, sealed } = rows[0]!;
        expect(block === null).toBe(place === 'a row');
        return { block, bytes: Buffer.from(block === null ? sealed! : await blocks.get(block)) };
      };
      const seen: Awaited<ReturnType<typeof stored>>[] = [];
      for (const content of [one, one, other, one, other]) {
        expect(said(await scene.chunk(sessionId, 0, content))).toBe('200 success');
        seen.push(await stored());
      }
      for (const [from, to] of [
        [0, 24],
        [56, 156],
      ] as const)
        expect(new Set(seen.map(({ bytes }) => bytes.toString('hex', from, to))).size).toBe(seen.length);
      for (const { block } of seen.slice(0, -1)) if (block !== null) expect(await blocks.head(block)).toBeUndefined();
      expect((await blocks.stat()).blocks).toBe(place === 'a row' ? 0 : 1);
      const { fileId } = await scene.get('POST', `/upload/${sessionId}/finalize`, {});
      expect((await scene.read(fileId)).bytes.equals(other)).toBe(true);
    },
  );

  it('is nobody else’s, and is gone by the clock', async () => {
    await using scene = await openScene(engine);
    const other = await scene.house.register();
    await scene.grant('folder', scene.rootId, { principalId: other.memberId, level: 'owner' });
    const { sessionId } = (await scene.begin(10)).body;
    const calls = async (token: string) => [
      said(await scene.call('GET', `/upload/${sessionId}/status`, undefined, { token })),
      said(await scene.chunk(sessionId, 0, Buffer.alloc(10), { token })),
      said(await scene.call('POST', `/upload/${sessionId}/finalize`, {}, { token })),
      said(await scene.call('DELETE', `/upload/${sessionId}`, undefined, { token })),
    ];
    const none = Array.from({ length: 4 }, () => '404 UPLOAD_NOT_FOUND');
    expect(await calls(other.token)).toEqual(none);
    scene.house.clock.advance(24 * 3_600_000 - 1);
    expect(said(await scene.chunk(sessionId, 0, Buffer.alloc(10)))).toBe('200 success');
    scene.house.clock.advance(24 * 3_600_000);
    await scene.house.signIn(scene.owner);
    const token = await scene.house.signIn(scene.owner);
    expect(await calls(token)).toEqual(none);
  });

  it('lives a day after each chunk, and a week after its beginning at most', async () => {
    await using scene = await openScene(engine);
    const { clock } = scene.house;
    const [day, chunk] = [24 * 3_600_000, Buffer.alloc(10)];
    const began = clock.now();
    const { sessionId, expiresAt } = (await scene.begin(10)).body;
    const untilOf = async (token: string) =>
      Date.parse((await scene.get('GET', `/upload/${sessionId}/status`, undefined, { token })).expiresAt);
    expect(Date.parse(expiresAt)).toBe(began + day);
    let token = scene.owner.token;
    for (const [hours, until] of [
      [20, 44],
      [40, 64],
      [60, 84],
      [80, 104],
      [100, 124],
      [120, 144],
      [140, 164],
      [160, 168],
      [167.9, 168],
    ] as const) {
      clock.advance(began + hours * 3_600_000 - clock.now());
      token = await scene.house.signIn(scene.owner);
      expect(said(await scene.chunk(sessionId, 0, chunk, { token }))).toBe('200 success');
      expect([hours, (await untilOf(token)) - began]).toEqual([hours, until * 3_600_000]);
    }
    clock.advance(began + 7 * day - clock.now());
    expect(said(await scene.chunk(sessionId, 0, chunk, { token }))).toBe('404 UPLOAD_NOT_FOUND');
    const finished = await scene.call('POST', `/upload/${sessionId}/finalize`, {}, { token });
    expect(said(finished)).toBe('404 UPLOAD_NOT_FOUND');
    expect((await scene.get('GET', '/upload', undefined, { token })).uploads).toEqual([]);
  });

  it('gives a name that two members take at once to one of them, and the other one keeps the upload', async () => {
    await using scene = await openScene(engine);
    const other = await scene.house.register();
    await scene.grant('folder', scene.rootId, { principalId: other.memberId, level: 'editor' });
    for (const [round, names] of [
      ['Plan.txt', 'Plan.txt'],
      ['Übersicht.txt', 'U\u0308BERSICHT.TXT'],
    ].entries()) {
      const uploads = await Promise.all(
        [scene.owner.token, other.token].map(async (token, at) => {
          const { sessionId } = (await scene.begin(10, { name: names[at]!, token })).body;
          expect(said(await scene.chunk(sessionId, 0, Buffer.alloc(10, at), { token }))).toBe('200 success');
          return { sessionId, token };
        }),
      );
      const ends = await Promise.all(
        uploads.map(
          async ({ sessionId, token }) => await scene.call('POST', `/upload/${sessionId}/finalize`, {}, { token }),
        ),
      );
      expect(ends.map(said).toSorted()).toEqual(['200 success', '409 NAME_TAKEN']);
      const won = ends.findIndex(({ status }) => status === 200);
      expect((await scene.read(ends[won]!.body.fileId)).bytes).toEqual(Buffer.alloc(10, won));
      // It can still go under another name, or be given up; its bytes are those of nobody else.
      const lost = uploads[1 - won]!;
      const state = await scene.get('GET', `/upload/${lost.sessionId}/status`, undefined, { token: lost.token });
      expect(state).toMatchObject({ status: 'in_progress', chunksReceived: 1 });
      await scene.get('DELETE', `/files/${ends[won]!.body.fileId}`);
      const again = await scene.call('POST', `/upload/${lost.sessionId}/finalize`, {}, { token: lost.token });
      expect([round, said(again)]).toEqual([round, '200 success']);
      expect((await scene.read(again.body.fileId)).bytes).toEqual(Buffer.alloc(10, 1 - won));
      await scene.get('DELETE', `/files/${again.body.fileId}`);
    }
  });

  it('reserves its size at once, and gives it back', async () => {
    await using scene = await openScene(engine);
    const { ctx } = scene.house;
    const bytes = async () => (await ctx.db.selectFrom('member_storage').selectAll().execute())[0]?.bytes ?? 0;
    const { sessionId } = (await scene.begin(1_000)).body;
    expect(await bytes()).toBe(1_000);
    expect(said(await scene.call('DELETE', `/upload/${sessionId}`))).toBe('204 success');
    expect(await bytes()).toBe(0);
    await scene.file('0123456789');
    expect(await bytes()).toBe(10);
    expect(await scene.get('GET', `/vaults/${scene.containerId}`)).toMatchObject({ usedBytes: 10 });
  });

  it('begins exactly the uploads that fit, of twenty at once', async () => {
    await using scene = await openScene(engine);
    await scene.get('PATCH', `/vaults/${scene.containerId}`, { quotaBytes: 7_500 });
    const begun = await Promise.all(Array.from({ length: 20 }, async () => said(await scene.begin(1_000))));
    expect(begun.filter((one) => one === '201 success')).toHaveLength(7);
    expect(begun.filter((one) => one === '413 CONTAINER_QUOTA_EXCEEDED')).toHaveLength(13);
  });

  it('makes a new version of a file, which keeps its id', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('the first', { name: 'letter.txt', type: 'text/plain' });
    const again = await scene.file('the second one', { name: 'letter.txt', type: 'text/plain', replaces: id });
    expect(again).toBe(id);
    const versions = await scene.get('GET', `/files/${id}/versions`);
    expect(
      versions.map((one: { versionNumber: number; isCurrent: boolean }) => [one.versionNumber, one.isCurrent]),
    ).toEqual([
      [2, true],
      [1, false],
    ]);
    expect((await scene.read(id)).bytes.toString()).toBe('the second one');
    const older = versions[1].versionId as string;
    const restored = await scene.get('POST', `/files/${id}/versions/${older}/restore`, {});
    expect(restored).toMatchObject({ id, sizeBytes: 9 });
    expect((await scene.read(id)).bytes.toString()).toBe('the first');
    const other = await scene.file('another', { name: 'other.txt' });
    expect(said(await scene.call('GET', `/files/${other}/versions/${older}/download`))).toBe('404 VERSION_NOT_FOUND');
    expect(said(await scene.call('POST', `/files/${other}/versions/${older}/restore`, {}))).toBe(
      '404 VERSION_NOT_FOUND',
    );
  });

  it('ends in nothing when the right is taken away meanwhile', async () => {
    await using scene = await openScene(engine);
    const editor = await scene.house.register();
    await scene.grant('folder', scene.rootId, { principalId: editor.memberId, level: 'editor' });
    const { sessionId } = (await scene.begin(10, { token: editor.token })).body;
    const token = editor.token;
    expect(said(await scene.chunk(sessionId, 0, Buffer.alloc(10), { token }))).toBe('200 success');
    await scene.get('PUT', `/acl/folder/${scene.rootId}`, {
      entries: [{ principalId: editor.memberId, level: 'viewer' }],
    });
    expect(said(await scene.chunk(sessionId, 0, Buffer.alloc(10), { token }))).toBe('403 FORBIDDEN');
    expect(said(await scene.call('POST', `/upload/${sessionId}/finalize`, {}, { token }))).toBe('403 FORBIDDEN');
    await scene.get('PUT', `/acl/folder/${scene.rootId}`, { entries: [] });
    expect(said(await scene.call('POST', `/upload/${sessionId}/finalize`, {}, { token }))).toBe('404 FOLDER_NOT_FOUND');
    await scene.get('PUT', `/acl/folder/${scene.rootId}`, {
      entries: [{ principalId: editor.memberId, level: 'editor' }],
    });
    await scene.get('POST', `/vaults/${scene.containerId}/lock`);
    expect(said(await scene.call('POST', `/upload/${sessionId}/finalize`, {}, { token }))).toBe('403 CONTAINER_LOCKED');
  });
});
