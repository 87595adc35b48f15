import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fromHex, utf8 } from '../../../src/crypto/bytes.ts';
import { verify } from '../../../src/crypto/signature.ts';
import { engines } from '../../support/stores.ts';
import { openScene, said, sha256, type Scene } from './scene.ts';

const MEBIBYTE = 1024 ** 2;

async function accesses({ house }: Scene): Promise<string[]> {
  const rows = await house.ctx.db.selectFrom('file_audit').select('action').orderBy('ledger_entry').execute();
  return rows.map(({ action }) => action).filter((action) => !action.endsWith('CREATED'));
}

describe.each(engines)('downloads on %s', (engine) => {
  it('answers any one range with exactly its bytes, and several ranges with everything', async () => {
    await using scene = await openScene(engine);
    const content = randomBytes(9 * MEBIBYTE);
    const id = await scene.file(content);
    const size = content.length;
    const ranges: readonly (readonly [string, number, number])[] = [
      ['bytes=0-0', 0, 1],
      ['bytes=-1', size - 1, size],
      ['bytes=16383-16384', 16_383, 16_385],
      [`bytes=${8 * MEBIBYTE - 5}-${8 * MEBIBYTE + 4}`, 8 * MEBIBYTE - 5, 8 * MEBIBYTE + 5],
      [`bytes=${size - 10}-${size + 100}`, size - 10, size],
      [`bytes=5000000-`, 5_000_000, size],
    ];
    for (const [range, start, end] of ranges) {
      const { status, bytes, headers } = await scene.read(id, { headers: { range } });
      expect([status, headers.get('content-range')], range).toEqual([206, `bytes ${start}-${end - 1}/${size}`]);
      expect(sha256(bytes), range).toBe(sha256(content.subarray(start, end)));
    }
    for (const range of ['bytes=5-4', 'bytes=0-1,4-5', 'lines=1-2', 'bytes=x-'])
      expect((await scene.read(id, { headers: { range } })).status, range).toBe(200);
    const behind = await scene.read(id, { headers: { range: `bytes=${size}-` } });
    expect([behind.status, behind.headers.get('content-range')]).toEqual([416, `bytes */${size}`]);
  });

  it('resumes the same content alone, and answers 304 for what the client has', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('the first');
    const tag = (await scene.read(id)).headers.get('etag')!;
    expect((await scene.read(id, { headers: { 'if-none-match': tag } })).status).toBe(304);
    expect((await scene.read(id, { headers: { 'if-none-match': '*' } })).status).toBe(304);
    const headers = { range: 'bytes=4-', 'if-range': tag };
    expect((await scene.read(id, { headers })).bytes.toString()).toBe('first');
    await scene.file('the second', { replaces: id });
    const changed = await scene.read(id, { headers });
    expect([changed.status, changed.bytes.toString()]).toEqual([200, 'the second']);
    expect(changed.headers.get('etag')).not.toBe(tag);
  });

  it('records an access before the first byte, and none where no byte is sent', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('some bytes');
    const { db } = scene.house.ctx;
    const request = (headers: Record<string, string>, method = 'GET') =>
      new Request(`http://house.test/filevault/files/${id}`, {
        method,
        headers: { authorization: `Bearer ${scene.owner.token}`, ...headers },
      });
    const head = await scene.house.fetch(request({}, 'HEAD'));
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '10']);
    const tag = head.headers.get('etag')!;
    // RFC 9110, 14.2: ranges are of GET alone.
    for (const range of ['bytes=1-2', 'bytes=10-']) {
      const part = await scene.house.fetch(request({ range }, 'HEAD'));
      expect([part.status, part.headers.get('content-length'), part.headers.get('content-range')]).toEqual([
        200,
        '10',
        null,
      ]);
    }
    await scene.house.fetch(request({ 'if-none-match': tag }));
    await scene.house.fetch(request({ range: 'bytes=10-' }));
    expect(await accesses(scene)).toEqual([]);
    const { accessed_at: before } = await db
      .selectFrom('file_nodes')
      .select('accessed_at')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(before).toBeNull();
    const answer = await scene.house.fetch(request({}));
    // The body is not read.
    expect(await accesses(scene)).toEqual(['FILE_DOWNLOADED']);
    await answer.body?.cancel();
    const [listed] = await scene.get('GET', '/vaults');
    expect(listed.sealStatus).toEqual({ allPristine: false, sealedCount: 0, accessedCount: 1, totalFiles: 1 });
    scene.house.spoil();
    const failed = await scene.house.fetch(request({}));
    expect(failed.status).toBe(500);
    expect(await failed.text()).not.toContain('some bytes');
  });

  it('gives a receipt that the node signed', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('some bytes');
    const receipt = (await scene.read(id)).headers.get('x-access-receipt')!;
    const [, version, random, time, signature] = /^(v1)\.([0-9a-f]{64})\.(.+Z)\.([0-9a-f]{128})$/.exec(receipt)!;
    expect(version).toBe('v1');
    const text = utf8(['conclave/filevault/access-receipt/v1', random, id, time].join('\n'));
    expect(verify(scene.house.ctx.keys.identity.publicKey, text, fromHex(signature!))).toBe(true);
  });

  it('shows what cannot run anything, and saves everything else', async () => {
    await using scene = await openScene(engine);
    const preview = async (type: string) => {
      const id = await scene.file('<script>alert(1)</script>', { type });
      const { status, headers } = await scene.call('GET', `/files/${id}/preview`);
      expect(status).toBe(200);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
      return `${headers.get('content-type')} ${headers.get('content-disposition')?.split(';')[0]}`;
    };
    expect(await preview('image/png')).toBe('image/png inline');
    expect(await preview('text/plain; charset=utf-16')).toBe('text/plain; charset=utf-8 inline');
    expect(await preview('application/json')).toBe('text/plain; charset=utf-8 inline');
    for (const type of ['image/svg+xml', 'text/html', 'application/xhtml+xml', 'text/xml', 'multipart/related'])
      expect(await preview(type), type).toBe('application/octet-stream attachment');
  });

  it('names the file in a header that nothing can break', async () => {
    await using scene = await openScene(engine);
    const disposition = async (name: string) => {
      const id = await scene.file('x', { name });
      return (await scene.read(id)).headers.get('content-disposition');
    };
    expect(await disposition('plain.txt')).toBe('attachment; filename="plain.txt"');
    expect(await disposition('a"b; c.txt')).toBe(
      'attachment; filename="a_b; c.txt"; filename*=UTF-8\'\'a%22b%3B%20c.txt',
    );
    expect(await disposition('žluť.txt')).toBe(
      'attachment; filename="_lu_.txt"; filename*=UTF-8\'\'%C5%BElu%C5%A5.txt',
    );
  });

  it('needs the exact permission', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('some bytes', { type: 'text/plain' });
    const member = await scene.house.register();
    const ask = async (flags: readonly string[]) => {
      await scene.get('PUT', `/acl/file/${id}`, { entries: [{ principalId: member.memberId, flags }] });
      const { token } = member;
      const paths = [`/files/${id}`, `/files/${id}/preview`, `/files/${id}/metadata`, `/files/${id}/versions`];
      return await Promise.all(paths.map(async (path) => (await scene.call('GET', path, undefined, { token })).status));
    };
    expect(await ask(['download'])).toEqual([200, 403, 403, 403]);
    expect(await ask(['preview'])).toEqual([403, 200, 403, 403]);
    expect(await ask(['read'])).toEqual([403, 403, 200, 200]);
    expect(await ask([])).toEqual([404, 404, 404, 404]);
  });

  it('notices every change to what is stored before a wrong byte leaves', async () => {
    await using scene = await openScene(engine);
    const content = randomBytes(MEBIBYTE + 7);
    const id = await scene.file(content);
    const other = await scene.file(randomBytes(MEBIBYTE + 7));
    const small = await scene.file('a small one');
    const { db, config } = scene.house.ctx;
    const contentOf = async (file: string) =>
      await db.selectFrom('file_contents').selectAll().where('file_id', '=', file).executeTakeFirstOrThrow();
    const [row, otherRow, smallRow] = [await contentOf(id), await contentOf(other), await contentOf(small)];
    const block = await db
      .selectFrom('file_blocks')
      .selectAll()
      .where('content_id', '=', row.id)
      .executeTakeFirstOrThrow();
    const path = join(config.dataDir, 'blocks', block.hash.slice(0, 2), block.hash.slice(2, 4), block.hash);

    const damages = async (file: string, change: () => Promise<() => Promise<void>>, what: string) => {
      const undo = await change();
      const answer = await scene.call('GET', `/files/${file}`);
      expect(said(answer), what).toBe('500 FILE_DAMAGED');
      await undo();
      expect((await scene.read(file)).status, `${what}, undone`).toBe(200);
    };
    const flipAt = (at: number) => async () => {
      await using file = await open(path, 'r+');
      const byte = Buffer.alloc(1);
      await file.read(byte, 0, 1, at);
      await file.write(Uint8Array.of(byte[0]! ^ 1), 0, 1, at);
      return async () => {
        await using again = await open(path, 'r+');
        await again.write(byte, 0, 1, at);
      };
    };
    await damages(id, flipAt(0), 'salt');
    await damages(id, flipAt(30), 'commitment');
    await damages(id, flipAt(60), 'first segment');
    const set = (values: object, contentId: string, back: object) => async () => {
      await db.updateTable('file_contents').set(values).where('id', '=', contentId).execute();
      return async () => void (await db.updateTable('file_contents').set(back).where('id', '=', contentId).execute());
    };
    const flipped = (bytes: Uint8Array, at: number) =>
      Uint8Array.from(bytes, (byte, i) => (i === at ? byte ^ 1 : byte));
    const { manifest, wrapped_key } = row;
    await damages(id, set({ manifest: flipped(manifest!, 100) }, row.id, { manifest }), 'manifest');
    await damages(id, set({ manifest: otherRow.manifest }, row.id, { manifest }), 'manifest of another');
    await damages(id, set({ wrapped_key: flipped(wrapped_key, 40) }, row.id, { wrapped_key }), 'wrap');
    await damages(id, set({ wrapped_key: otherRow.wrapped_key }, row.id, { wrapped_key }), 'wrap of another');
    await damages(id, set({ size: row.size - 1 }, row.id, { size: row.size }), 'size');
    await damages(id, set({ slot: otherRow.slot }, row.id, { slot: row.slot }), 'slot of another');
    const inline = await db
      .selectFrom('file_blocks')
      .selectAll()
      .where('content_id', '=', smallRow.id)
      .executeTakeFirstOrThrow();
    const setBlock = (values: object) => async () => {
      await db.updateTable('file_blocks').set(values).where('content_id', '=', smallRow.id).execute();
      const { hash, sealed, size } = inline;
      return async () =>
        void (await db
          .updateTable('file_blocks')
          .set({ hash, sealed, size })
          .where('content_id', '=', smallRow.id)
          .execute());
    };
    await damages(small, setBlock({ sealed: flipped(inline.sealed!, 60) }), 'block in a row');
    await damages(small, setBlock({ sealed: inline.sealed!.subarray(0, -1) }), 'block that is cut');
    await damages(small, setBlock({ hash: block.hash }), 'hash of a block');
    expect((await accesses(scene)).filter((action) => action === 'FILE_DAMAGED').length).toBeGreaterThanOrEqual(12);
  });

  it('breaks off where damage shows after the first bytes', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file(randomBytes(MEBIBYTE));
    const { db, config } = scene.house.ctx;
    const { hash } = await db.selectFrom('file_blocks').selectAll().executeTakeFirstOrThrow();
    await using file = await open(join(config.dataDir, 'blocks', hash.slice(0, 2), hash.slice(2, 4), hash), 'r+');
    const { size } = await file.stat();
    await file.write(Uint8Array.of(0, 0, 0, 0), 0, 4, size - 4);
    await expect(scene.read(id)).rejects.toThrow('The stored content of the file is damaged');
    expect((await scene.read(id, { headers: { range: 'bytes=0-99' } })).status).toBe(206);
    expect(await accesses(scene)).toContain('FILE_DAMAGED');
  });
});
