import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cipherFor } from '../../../src/client/filevault/cipher.ts';
import { keyPairFrom } from '../../../src/client/member-secret.ts';
import type { Caller } from '../../../src/client/perform.ts';
import { fromHex, toHex } from '../../../src/crypto/bytes.ts';
import { CHUNK, sealedLength } from '../../../src/crypto/formats/file-content/chunked-encryption.ts';
import { eciesEncrypt } from '../../../src/crypto/ecies.ts';
import { containerKeyContext, containerKeyStatement } from '../../../src/crypto/formats/file-content/file-content.ts';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { sign } from '../../../src/crypto/signature.ts';
import { unwrapAround, wrapAround } from '../../../src/services/filevault/content/keys.ts';
import { engines } from '../../support/stores.ts';
import { codeOf, openClientScene, piecesOf, type ClientScene, readFile } from './client-scene.ts';
import { inStage } from '../../support/stage.ts';

const MEBIBYTE = 1024 ** 2;
type Change = (path: string, body: Buffer) => Buffer;

/** The owner, whose server answers something else than it should. */
async function deceived({ scene, container, owner }: ClientScene, change: Change) {
  const { transport } = owner.caller;
  const caller: Caller = {
    ...owner.caller,
    transport: {
      ...transport,
      async send(request, signal) {
        const reply = await transport.send(request, signal);
        const pieces: Uint8Array[] = [];
        for await (const piece of reply.body) pieces.push(piece);
        const body = change(request.path, Buffer.concat(pieces));
        const { 'content-digest': _, 'content-length': __, ...headers } = reply.headers;
        return { ...reply, headers, body: piecesOf(body) };
      },
    },
  };
  const cipher = cipherFor({ caller, container, own: await keyPairFrom(scene.owner.mnemonic) });
  return { caller, cipher };
}

/** Changes the JSON of answers whose path ends so. */
function json(end: string, edit: (reply: Record<string, unknown>) => void): Change {
  return (path, body) => {
    if (!path.split('?')[0]!.endsWith(end)) return body;
    const reply = JSON.parse(body.toString()) as Record<string, unknown>;
    edit(reply);
    return Buffer.from(JSON.stringify(reply));
  };
}

describe.each(engines)('what a server gives out that is not as it was stored, on %s', (engine) => {
  it('shows, whatever is exchanged between files, versions, contents and places', { tags: 'thorough' }, async () => {
    await using sealed = await openClientScene(engine);
    const { scene, owner } = sealed;
    const { ctx } = scene.house;
    const { db } = ctx;
    // Two blocks can change their places from two chunks on, and those are large.
    const blockCount = inStage(1, 1, 2);
    const size = blockCount === 1 ? 100_000 : 16 * MEBIBYTE;
    const content = randomBytes(size);
    const id = await owner.store(content);
    const other = await owner.store(randomBytes(size));
    await owner.store(randomBytes(size), { replaces: other });
    const contentsOf = async (file: string) =>
      await db
        .selectFrom('file_contents as c')
        .innerJoin('file_versions as v', 'v.content_id', 'c.id')
        .selectAll('c')
        .where('c.file_id', '=', file)
        .orderBy('v.number')
        .execute();
    const [[mine], [older, newer]] = [await contentsOf(id), await contentsOf(other)];
    const inner = async (row: NonNullable<typeof mine>) => await unwrapAround(ctx, row);
    const again = async (row: NonNullable<typeof mine>, wrap: Uint8Array) =>
      wrapAround(ctx, row, (await ctx.erasure.keyOf(row.slot))!, wrap);
    const blocks = await db.selectFrom('file_blocks').selectAll().orderBy('place').execute();
    const blockOf = (row: NonNullable<typeof mine>, place: number) =>
      blocks.find((block) => block.content_id === row.id && block.place === place)!;

    const notices = async (file: string, row: NonNullable<typeof mine>, values: object, what: string) => {
      const { wrapped_key, manifest } = row;
      await db.updateTable('file_contents').set(values).where('id', '=', row.id).execute();
      expect(await codeOf(owner.read(file)), what).toBe('FILE_DAMAGED');
      await db.updateTable('file_contents').set({ wrapped_key, manifest }).where('id', '=', row.id).execute();
      expect(await codeOf(owner.cipher.open(file)), `${what}, undone`).toBe('success');
    };
    await notices(id, mine!, { wrapped_key: await again(mine!, await inner(newer!)) }, 'the wrap of another file');
    await notices(other, newer!, { wrapped_key: await again(newer!, await inner(older!)) }, 'the wrap of a version');
    await notices(id, mine!, { manifest: newer!.manifest }, 'the manifest of another file');
    await notices(other, newer!, { manifest: older!.manifest }, 'the manifest of an older version');

    const places = async (
      moved: readonly (readonly [NonNullable<typeof mine>, number, NonNullable<typeof mine>, number])[],
    ) => {
      for (const [to, at, from, place] of moved) {
        const { hash, block_id, sealed: bytes } = blockOf(from, place);
        await db
          .updateTable('file_blocks')
          .set({ hash, block_id, sealed: bytes })
          .where('content_id', '=', to.id)
          .where('place', '=', at)
          .execute();
      }
    };
    const noticesBlocks = async (
      file: string,
      row: NonNullable<typeof mine>,
      moved: Parameters<typeof places>[0],
      what: string,
    ) => {
      await places(moved);
      expect(await codeOf(owner.read(file)), what).toBe('FILE_DAMAGED');
      await places(Array.from({ length: blockCount }, (_, place) => [row, place, row, place] as const));
      expect(await codeOf(owner.read(file)), `${what}, undone`).toBe('success');
    };
    const swapped = [
      [mine!, 0, mine!, 1],
      [mine!, 1, mine!, 0],
    ] as const;
    if (blockCount > 1) await noticesBlocks(id, mine!, swapped, 'two blocks, exchanged');
    const last = blockCount - 1;
    await noticesBlocks(id, mine!, [[mine!, last, newer!, last]], 'a block of another file');
    await noticesBlocks(other, newer!, [[newer!, 0, older!, 0]], 'a block of an older version');

    // The whole content of another file, with everything that belongs to it.
    const version = db.updateTable('file_versions').where('file_id', '=', id);
    await version.set({ content_id: newer!.id }).execute();
    expect(await codeOf(owner.read(id))).toBe('FILE_DAMAGED');
    await version.set({ content_id: mine!.id }).execute();
    expect((await owner.read(id)).equals(content)).toBe(true);
  });

  it('shows when an answer is changed, cut or prolonged on the way', async () => {
    await using sealed = await openClientScene(engine);
    const { owner } = sealed;
    const id = await owner.store(randomBytes(3 * CHUNK.segmentBytes));
    await owner.store(randomBytes(3 * CHUNK.segmentBytes), { replaces: id });
    const bytes = (change: (body: Buffer) => Buffer): Change => {
      return (path, body) => (path.includes('/sealed') ? change(body) : body);
    };
    const flipped = (at: number) => bytes((body) => (body.writeUInt8(body[at]! ^ 1, at), body));
    const cases: readonly (readonly [string, Change])[] = [
      ['salt', flipped(0)],
      ['commitment', flipped(30)],
      ['first segment', flipped(60)],
      ['last tag', flipped(sealedLength(3 * CHUNK.segmentBytes) - 1)],
      ['cut at a segment', bytes((body) => body.subarray(0, -CHUNK.tagBytes))],
      ['cut anywhere', bytes((body) => body.subarray(0, 20_000))],
      ['nothing at all', bytes(() => Buffer.alloc(0))],
      ['one byte more', bytes((body) => Buffer.concat([body, Buffer.alloc(1)]))],
      ['the size', json('/keys', (reply) => 'sizeBytes' in reply && (reply['sizeBytes'] = 5))],
      ['the size of chunks', json('/keys', (reply) => 'chunkSize' in reply && (reply['chunkSize'] = 16_384))],
      ['the content', json('/keys', (reply) => 'contentId' in reply && (reply['contentId'] = 'ab'.repeat(16)))],
    ];
    for (const [what, change] of cases) {
      const { caller, cipher } = await deceived(sealed, change);
      const read = async () => {
        for await (const _ of readFile(caller, await cipher.open(id)));
      };
      expect(await codeOf(read()), what).toBe('FILE_DAMAGED');
    }
    const [, first] = await sealed.scene.get('GET', `/files/${id}/versions`);
    const { cipher } = await deceived(
      sealed,
      json('/keys', (reply) => 'versionId' in reply && (reply['versionId'] = 'ab'.repeat(16))),
    );
    expect(await codeOf(cipher.open(id, first.versionId))).toBe('FILE_DAMAGED');
  });

  it('shows when a chunk is one that the client has sent earlier', async () => {
    await using sealed = await openClientScene(engine);
    const { scene, owner, container } = sealed;
    const { db } = scene.house.ctx;
    const sessionId = await owner.begun(Buffer.from('one write of it'));
    const before = await db.selectFrom('file_blocks').selectAll().executeTakeFirstOrThrow();
    const upload = await owner.cipher.upload(sessionId);
    const bytes = Buffer.from('another of them');
    await upload.send(0, bytes.length, () => piecesOf(bytes));
    const { id } = await upload.finish();
    expect((await owner.read(id)).toString()).toBe('another of them');
    await db.updateTable('file_blocks').set({ sealed: before.sealed, hash: before.hash }).execute();
    expect(await codeOf(owner.read(id))).toBe('FILE_DAMAGED');
    expect(container.ownerId).toBe(scene.owner.memberId);
  });

  it('shows when the key of the container is not one that its owner made', async () => {
    await using sealed = await openClientScene(engine);
    const { scene, owner, container } = sealed;
    const id = await owner.store(Buffer.from('before'));
    const own = await keyPairFrom(scene.owner.mnemonic);
    const key = randomBytes(32);
    const server = generateKeyPair();
    const foreign = (number: number, signature: Uint8Array, at = number) => ({
      number: at,
      wrapped: toHex(eciesEncrypt(own.publicKey, key, containerKeyContext(container.id, number))),
      signature: toHex(signature),
    });
    const by = (who: Uint8Array, number: number) => sign(who, containerKeyStatement(container.id, number, key));
    const shown = await scene.get('GET', `/vaults/${container.id}/keys`);
    const another = await scene.get('POST', '/vaults', { name: 'Another', clientEncrypted: true });
    const cases: readonly (readonly [string, object])[] = [
      ['signed by the server', foreign(2, by(server.privateKey, 2))],
      ['signed for another number', foreign(2, by(own.privateKey, 3))],
      ['an older key as the newest', { ...shown.keys[0], number: 2 }],
      [
        'with the signature of another key',
        { ...foreign(1, by(own.privateKey, 1)), signature: shown.keys[0].signature },
      ],
      ['with no signature', foreign(2, new Uint8Array(64))],
      [
        'encrypted to somebody else',
        { ...shown.keys[0], wrapped: toHex(eciesEncrypt(server.publicKey, key, containerKeyContext(container.id, 1))) },
      ],
    ];
    for (const [what, given] of cases) {
      const edit = json(`/vaults/${container.id}/keys`, (reply) => {
        reply['keys'] = [given];
        reply['newest'] = (given as { number: number }).number;
      });
      const { cipher } = await deceived(sealed, edit);
      expect(await codeOf(cipher.open(id)), what).toBe('CONTAINER_KEY_FOREIGN');
      expect(await codeOf(cipher.beginning(async () => null)), what).toBe('CONTAINER_KEY_FOREIGN');
    }
    // The key of one container is none of another.
    const { cipher } = await deceived(
      { ...sealed, container: { ...container, id: another.id } },
      json('/keys', (reply) => Object.assign(reply, { keys: shown.keys, newest: 1 })),
    );
    expect(await codeOf(cipher.beginning(async () => null))).toBe('CONTAINER_KEY_FOREIGN');
  });

  it('shows when a public key is not that of the member', async () => {
    await using sealed = await openClientScene(engine);
    const { scene, container, owner } = sealed;
    await owner.store(Buffer.from('before'));
    const member = await scene.house.register();
    await sealed.acl([{ principalId: member.memberId, level: 'viewer' }]);
    const { cipher } = await deceived(
      sealed,
      json(`/vaults/${container.id}/keys`, (reply) => {
        const members = reply['members'] as { memberId: string; publicKey: string }[] | undefined;
        for (const one of members ?? [])
          if (one.memberId === member.memberId) one.publicKey = toHex(generateKeyPair().publicKey);
      }),
    );
    expect(await codeOf(cipher.give(member.memberId))).toBe('CONTAINER_KEY_FOREIGN');
    const rows = await scene.house.ctx.db.selectFrom('file_member_keys').select('member_id').execute();
    expect(rows).toEqual([{ member_id: scene.owner.memberId }]);
    expect(fromHex(member.memberId)).toHaveLength(12);
  });
});
