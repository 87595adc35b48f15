import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { perform } from '../../../src/client/perform.ts';
import { keyPairFrom } from '../../../src/client/member-secret.ts';
import { filevault } from '../../../src/contract/filevault.ts';
import { toHex } from '../../../src/crypto/bytes.ts';
import { sealedLength } from '../../../src/crypto/formats/file-content/chunked-encryption.ts';
import { inStage } from '../../support/stage.ts';
import { engines } from '../../support/stores.ts';
import { codeOf, openClientScene, piecesOf, type Person } from './client-scene.ts';
import { said, sha256 } from './scene.ts';

const MEBIBYTE = 1024 ** 2;

const makeKey = async ({ cipher }: Person): Promise<void> => void (await cipher.beginning(async () => null));

describe.each(engines)('client-encrypted containers on %s', (engine) => {
  it('store and give back files that the node cannot open', { tags: 'soak' }, async () => {
    await using sealed = await openClientScene(engine);
    const { scene, owner } = sealed;
    for (const size of [1, 16_384, ...inStage([], [], [16_383, 32 * 1024, 32 * 1024 + 1]), 8 * MEBIBYTE + 5]) {
      const content = randomBytes(size);
      const id = await owner.store(content);
      expect(sha256(await owner.read(id)), `${size}`).toBe(sha256(content));
      for (const path of [`/files/${id}`, `/files/${id}/preview`])
        expect(said(await scene.call('GET', path)), path).toBe('400 CLIENT_ENCRYPTED');
      const [version] = await scene.get('GET', `/files/${id}/versions`);
      const path = `/files/${id}/versions/${version.versionId}/download`;
      expect(said(await scene.call('GET', path))).toBe('400 CLIENT_ENCRYPTED');
    }
    expect(await scene.house.ctx.db.selectFrom('file_container_keys').selectAll().execute()).toEqual([]);
    expect(await scene.get('GET', `/vaults/${sealed.container.id}`)).toMatchObject({ clientEncrypted: true });
  });

  it('have no keys and sealed files where the node encrypts', async () => {
    await using sealed = await openClientScene(engine);
    const { scene, owner } = sealed;
    const id = await scene.file('an ordinary file');
    expect(said(await scene.call('GET', `/files/${id}/sealed`))).toBe('409 NOT_CLIENT_ENCRYPTED');
    expect(said(await scene.call('GET', `/files/${id}/keys`))).toBe('409 NOT_CLIENT_ENCRYPTED');
    expect(said(await scene.call('GET', `/vaults/${scene.containerId}/keys`))).toBe('409 NOT_CLIENT_ENCRYPTED');
    const { sessionId } = (await scene.begin(5)).body;
    const key = { keyNumber: 1, wrappedKey: 'aa'.repeat(65) };
    expect(said(await scene.call('PUT', `/upload/${sessionId}/key`, key))).toBe('409 NOT_CLIENT_ENCRYPTED');
    const other = await owner.store(Buffer.from('a sealed file'));
    const stranger = await scene.house.register();
    for (const path of [`/files/${other}/sealed`, `/files/${other}/keys`])
      expect(said(await scene.call('GET', path, undefined, stranger)), path).toBe('404 FILE_NOT_FOUND');
    expect(said(await scene.call('GET', `/vaults/${sealed.container.id}/keys`, undefined, stranger))).toBe(
      '404 CONTAINER_NOT_FOUND',
    );
  });

  it('take an upload only with a key, blocks of the right size and a manifest of these blocks', async () => {
    await using sealed = await openClientScene(engine);
    const { scene, owner, container } = sealed;
    const into = { folder: container.rootFolderId, container: container.id };
    expect(said(await scene.begin(5, into))).toBe('409 KEY_MISSING');
    await makeKey(owner);
    const { sessionId, keyNumber, fileId, contentId } = (await scene.begin(5, into)).body;
    expect([keyNumber, fileId, contentId]).toEqual([
      1,
      expect.stringMatching(/^[0-9a-f]{32}$/),
      expect.stringMatching(/^[0-9a-f]{32}$/),
    ]);
    const block = randomBytes(sealedLength(5));
    expect(said(await scene.chunk(sessionId, 0, block))).toBe('409 KEY_MISSING');
    const key = (number: number) => ({ keyNumber: number, wrappedKey: toHex(Uint8Array.from(randomBytes(65))) });
    expect(said(await scene.call('PUT', `/upload/${sessionId}/key`, key(2)))).toBe('409 KEY_OUTDATED');
    expect(said(await scene.call('PUT', `/upload/${sessionId}/key`, key(1)))).toBe('200 success');
    expect(said(await scene.call('PUT', `/upload/${sessionId}/key`, key(1)))).toBe('409 KEY_CHANGED');
    expect(said(await scene.chunk(sessionId, 0, Buffer.from('plain')))).toBe('400 CHUNK_SIZE_WRONG');
    const stored = await scene.chunk(sessionId, 0, block);
    expect([stored.status, stored.body.checksum]).toEqual([200, `sha256:${sha256(block)}`]);
    const finish = async (body: object) => said(await scene.call('POST', `/upload/${sessionId}/finalize`, body));
    const manifest = randomBytes(sealedLength(13 + 64)).toString('base64');
    const blocks = 'ab'.repeat(32);
    expect(await finish({})).toBe('400 VALIDATION_ERROR');
    expect(await finish({ manifest })).toBe('400 VALIDATION_ERROR');
    expect(await finish({ manifest: manifest.slice(4), blocks })).toBe('400 VALIDATION_ERROR');
    expect(await finish({ manifest: '*'.repeat(manifest.length), blocks })).toBe('400 VALIDATION_ERROR');
    expect(await finish({ manifest, blocks })).toBe('409 BLOCKS_DIFFER');
  });

  it('go on with an upload under the key that it has, and never seal a chunk twice with one salt', async () => {
    await using sealed = await openClientScene(engine);
    const { scene, owner, container } = sealed;
    const content = randomBytes(8 * MEBIBYTE + 100);
    await makeKey(owner);
    const into = { folder: container.rootFolderId, container: container.id, name: 'long.bin' };
    const { sessionId, chunkSize } = (await scene.begin(content.length, into)).body;
    const blocks = async () =>
      await scene.house.ctx.db.selectFrom('file_blocks').select(['place', 'hash', 'sealed']).orderBy('place').execute();
    const last = () => piecesOf(content.subarray(chunkSize));
    const first = await owner.cipher.upload(sessionId);
    await first.send(1, 100, last);
    const [before] = await blocks();
    await first.send(1, 100, last);
    const [after] = await blocks();
    expect(after!.sealed!.subarray(0, 24)).not.toEqual(before!.sealed!.subarray(0, 24));
    // Another process, later.
    const again = await (await sealed.person(scene.owner)).cipher.upload(sessionId);
    await again.send(0, chunkSize, () => piecesOf(content.subarray(0, chunkSize)));
    // A body that stalled in the first process comes after everything else.
    await first.send(1, 100, last);
    const { id } = await again.finish();
    expect(sha256(await owner.read(id))).toBe(sha256(content));
    expect((await again.finish()).id).toBe(id);
  });

  it('let one of two clients make a key, and give keys to members with access alone', async () => {
    await using sealed = await openClientScene(engine);
    const { scene, owner, container } = sealed;
    const keys = `/vaults/${container.id}/keys`;
    const twins = await Promise.all([sealed.person(scene.owner), sealed.person(scene.owner)]);
    await Promise.all(twins.map(makeKey));
    expect(sealed.told).toEqual([[]]);
    const shown = await scene.get('GET', keys);
    expect(shown).toMatchObject({ newest: 1, outdated: false, keys: [{ number: 1 }] });
    expect(shown.members).toEqual([
      expect.objectContaining({ memberId: scene.owner.memberId, username: scene.owner.username, numbers: [1] }),
    ]);
    const member = await scene.house.register();
    const wrap = (memberId: string) => ({ memberId, wrapped: `010121${'ab'.repeat(97)}` });
    const add = async (body: object, token?: string) =>
      said(await scene.call('POST', keys, { newest: 1, number: 1, ...body }, token === undefined ? {} : { token }));
    expect(await add({ wraps: [wrap(member.memberId)] }, member.token)).toBe('404 CONTAINER_NOT_FOUND');
    expect(await add({ wraps: [wrap(member.memberId)] })).toBe('400 VALIDATION_ERROR');
    await sealed.acl([{ principalId: member.memberId, level: 'editor' }]);
    expect(await add({ wraps: [wrap(member.memberId)] }, member.token)).toBe('403 FORBIDDEN');
    expect((await scene.get('GET', keys, undefined, member)).members).toBeUndefined();
    await sealed.acl([{ principalId: member.memberId, level: 'owner' }]);
    const own = wrap(scene.owner.memberId);
    expect(await add({ wraps: [wrap(member.memberId)] }, member.token)).toBe('409 KEY_MISSING');
    expect(await add({ number: 2, signature: 'ab'.repeat(64), wraps: [own] }, member.token)).toBe('403 FORBIDDEN');
    expect(await add({ number: 2, wraps: [own] })).toBe('400 VALIDATION_ERROR');
    expect(await add({ number: 2, signature: 'ab'.repeat(64), wraps: [wrap(member.memberId)] })).toBe(
      '400 VALIDATION_ERROR',
    );
    expect(await add({ newest: 0, number: 1, signature: 'ab'.repeat(64), wraps: [own] })).toBe('409 KEY_CHANGED');
    expect(await add({ number: 3, wraps: [own] })).toBe('409 KEY_MISSING');
    expect(await add({ wraps: [{ ...own, wrapped: 'ff'.repeat(100) }] })).toBe('400 VALIDATION_ERROR');
    expect(await add({ wraps: [own, own] })).toBe('400 VALIDATION_ERROR');
    // A client with the right keys: an administrator who got them gives them on.
    await owner.cipher.give(member.memberId);
    const admin = await sealed.person(member);
    const third = await scene.house.register();
    await scene.grant('folder', container.rootFolderId, { principalId: third.memberId, level: 'viewer' });
    const id = await owner.store(Buffer.from('for three'));
    const reader = await sealed.person(third);
    expect(await codeOf(reader.read(id))).toBe('KEY_MISSING');
    await admin.cipher.give(third.memberId);
    expect((await reader.read(id)).toString()).toBe('for three');
    // What an administrator puts in the place of a wrap that is there changes nothing.
    expect(await add({ wraps: [wrap(third.memberId)] }, member.token)).toBe('201 success');
    expect((await (await sealed.person(third)).read(id)).toString()).toBe('for three');
    await scene.get('POST', `/vaults/${container.id}/lock`);
    expect(await add({ wraps: [own] })).toBe('403 CONTAINER_LOCKED');
  });

  it('give no new version to a member who lost access', async () => {
    await using sealed = await openClientScene(engine);
    const { scene, owner, container, told } = sealed;
    const [bob, cyd] = [await sealed.guest(), await sealed.guest()];
    const id = await bob.store(Buffer.from('the first'));
    expect((await cyd.read(id)).toString()).toBe('the first');
    const waiting = await cyd.begun(Buffer.from('begun before'), { replaces: id });
    const of = (person: typeof bob) => ({ principalId: person.member.memberId, level: 'editor' });
    expect(await sealed.acl([of(bob), of(cyd)])).toEqual({ updated: true, keyOutdated: false });
    expect(await sealed.acl([of(cyd)])).toEqual({ updated: true, keyOutdated: true });
    const rows = await scene.house.ctx.db.selectFrom('file_member_keys').select('member_id').execute();
    expect(rows.map(({ member_id }) => member_id).toSorted()).toEqual(
      [scene.owner.memberId, cyd.member.memberId].toSorted(),
    );
    const into = { folder: container.rootFolderId, container: container.id };
    expect(said(await scene.begin(5, into))).toBe('409 KEY_OUTDATED');
    expect(await codeOf(cyd.store(Buffer.from('x')))).toBe('KEY_OUTDATED');
    expect(await codeOf((await cyd.cipher.upload(waiting)).finish())).toBe('KEY_OUTDATED');
    told.length = 0;
    await makeKey(owner);
    const fresh = await sealed.person(scene.owner);
    await makeKey(fresh);
    expect(told).toEqual([[cyd.member.memberId]]);
    // The upload that was begun under the key before is wrapped again.
    await (await cyd.cipher.upload(waiting)).finish();
    expect((await owner.read(id)).toString()).toBe('begun before');
    const content = await scene.house.ctx.db
      .selectFrom('file_contents as c')
      .innerJoin('file_versions as v', 'v.content_id', 'c.id')
      .select('c.key_number')
      .orderBy('v.number', 'desc')
      .execute();
    expect(content.map(({ key_number }) => key_number)).toEqual([2, 1]);
    expect(await codeOf(bob.read(id))).toBe('FILE_NOT_FOUND');
    // Granted again, and given the keys: everything opens.
    await scene.grant('folder', container.rootFolderId, { ...of(bob), level: 'viewer' });
    const back = await sealed.person(bob.member);
    expect(await codeOf(back.read(id))).toBe('KEY_MISSING');
    await owner.cipher.give(bob.member.memberId);
    expect((await back.read(id)).toString()).toBe('begun before');
  });

  it('need a new key when an access ends by itself, or with the file that it was for', async () => {
    await using sealed = await openClientScene(engine);
    const { scene, owner, container } = sealed;
    const until = new Date(scene.house.clock.now() + 60_000).toISOString();
    const bob = await sealed.guest({ level: 'viewer', conditions: { notAfter: until } });
    const id = await owner.store(Buffer.from('for a minute'));
    expect((await bob.read(id)).toString()).toBe('for a minute');
    scene.house.clock.advance(60_000);
    const into = { folder: container.rootFolderId, container: container.id };
    expect(said(await scene.begin(5, into))).toBe('409 KEY_OUTDATED');
    await owner.store(Buffer.from('afterwards'));
    expect((await scene.get('GET', `/vaults/${container.id}/keys`)).newest).toBe(2);
    const cyd = await scene.house.register();
    await scene.grant('file', id, { principalId: cyd.memberId, level: 'viewer' });
    await owner.cipher.give(cyd.memberId);
    await scene.get('POST', `/destroy/${id}`, {});
    expect(said(await scene.begin(5, into))).toBe('409 KEY_OUTDATED');
  });

  it('answer the encrypted file with ranges, after the access is recorded', { tags: 'soak' }, async () => {
    await using sealed = await openClientScene(engine);
    const { scene, owner } = sealed;
    const id = await owner.store(randomBytes(9 * MEBIBYTE));
    const size = sealedLength(8 * MEBIBYTE) + sealedLength(MEBIBYTE);
    const read = async (headers: Record<string, string>, method = 'GET', path = `/files/${id}/sealed`) => {
      const answer = await scene.house.fetch(
        new Request(`http://house.test/filevault${path}`, {
          method,
          headers: { authorization: `Bearer ${scene.owner.token}`, ...headers },
        }),
      );
      return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
    };
    const accesses = async () =>
      (await scene.house.ctx.db.selectFrom('file_audit').select('id').where('action', '=', 'FILE_DOWNLOADED').execute())
        .length;
    const head = await read({}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), await accesses()]).toEqual([200, String(size), 0]);
    const etag = head.headers.get('etag')!;
    expect((await read({ 'if-none-match': etag })).status).toBe(304);
    expect(await accesses()).toBe(0);
    const whole = await read({});
    expect([whole.bytes.length, await accesses()]).toEqual([size, 1]);
    expect(whole.headers.get('x-access-receipt')).toMatch(/^v1\./);
    const border = sealedLength(8 * MEBIBYTE);
    const part = await read({ range: `bytes=${border - 10}-${border + 9}`, 'if-range': etag });
    expect([part.status, part.bytes.equals(whole.bytes.subarray(border - 10, border + 10))]).toEqual([206, true]);
    const member = await scene.house.register();
    await scene.grant('file', id, { principalId: member.memberId, flags: ['read'] });
    for (const path of ['sealed', 'keys'])
      expect(said(await scene.call('GET', `/files/${id}/${path}`, undefined, member))).toBe('403 FORBIDDEN');
  });

  it('keep versions that open, restore them, and destroy all of them', { tags: 'soak' }, async () => {
    await using sealed = await openClientScene(engine);
    const { scene, owner, container } = sealed;
    const id = await owner.store(Buffer.from('the first'));
    await owner.store(Buffer.from('the second'), { replaces: id });
    const [second, first] = await scene.get('GET', `/files/${id}/versions`);
    expect((await owner.read(id, first.versionId)).toString()).toBe('the first');
    expect((await owner.read(id, second.versionId)).toString()).toBe('the second');
    await scene.get('POST', `/files/${id}/versions/${first.versionId}/restore`, {});
    expect((await owner.read(id)).toString()).toBe('the first');
    expect(await codeOf(owner.read(id, 'ab'.repeat(16)))).toBe('VERSION_NOT_FOUND');
    const { db, erasure } = scene.house.ctx;
    const slots = await db.selectFrom('file_contents').select('slot').execute();
    await scene.get('POST', `/destroy/${id}`, {});
    expect(await codeOf(owner.read(id))).toBe('FILE_DESTROYED');
    expect(await Promise.all(slots.map(async ({ slot }) => await erasure.keyOf(slot)))).toEqual([undefined, undefined]);
    await scene.get('POST', `/vaults/${container.id}/destroy`, {});
    expect(await db.selectFrom('file_client_keys').selectAll().execute()).toEqual([]);
    expect(await db.selectFrom('file_member_keys').selectAll().execute()).toEqual([]);
    const own = await keyPairFrom(scene.owner.mnemonic);
    expect(own.publicKey).toHaveLength(33);
    expect(await codeOf(perform(owner.caller, filevault.showKeys, { id: container.id }))).toBe('CONTAINER_DESTROYED');
  });
});
