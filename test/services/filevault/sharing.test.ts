import { describe, expect, it } from 'vitest';
import { permissionFlags } from '../../../src/contract/filevault/limits.ts';
import { fromHex } from '../../../src/crypto/bytes.ts';
import { openMessage } from '../../../src/crypto/formats/file-content/chunked-encryption.ts';
import { CryptoError } from '../../../src/crypto/crypto-error.ts';
import { eciesDecrypt } from '../../../src/crypto/ecies.ts';
import { blockContext, sharedKeyContext } from '../../../src/crypto/formats/file-content/file-content.ts';
import { block } from '../../../src/shared/members/blocks.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { openScene, said, type Scene } from './scene.ts';
import { fetchContent, makeLink, privateKeyOf, visit } from './sharing-scene.ts';

async function share(scene: Scene, fileId: string, to: HouseMember, more: object = {}, token = scene.owner.token) {
  const body = { fileId, recipientId: to.memberId, ...more };
  const { shareId } = await scene.get('POST', '/share/internal', body, { token });
  return shareId as string;
}

async function statusOf(scene: Scene, who: HouseMember, path: string): Promise<string> {
  return said(await scene.call('GET', path, undefined, { token: who.token }));
}

async function effective(scene: Scene, id: string, { memberId }: HouseMember) {
  return await scene.get('GET', `/acl/file/${id}/effective/${memberId}`);
}

describe.each(engines)('sharing with members on %s', (engine) => {
  it('grants its level on this one file, in every list and search, and shows nothing of the way to it', async () => {
    await using scene = await openScene(engine);
    const folder = await scene.folder('Secret plans');
    const id = await scene.file('for bob', { folder, name: 'plan.txt', type: 'text/plain' });
    const sibling = await scene.file('not for bob', { folder, name: 'other plan.txt' });
    const bob = await scene.house.register();
    const as = { token: bob.token };
    expect(await statusOf(scene, bob, `/files/${id}`)).toBe('404 FILE_NOT_FOUND');
    const shareId = await share(scene, id, bob, { recipientId: bob.username });
    expect((await scene.read(id, as)).bytes.toString()).toBe('for bob');
    for (const path of ['/metadata', '/versions', '/preview'])
      expect((await statusOf(scene, bob, `/files/${id}${path}`)).slice(0, 3)).toBe('200');
    expect(said(await scene.call('PATCH', `/files/${id}`, { fileName: 'x' }, as))).toBe('403 FORBIDDEN');
    expect(await scene.get('GET', '/share/shared-with-me', undefined, as)).toEqual([
      {
        fileId: id,
        fromUsername: expect.any(String),
        clientEncrypted: false,
        fileName: 'plan.txt',
        sharedBy: scene.owner.memberId,
        permissionLevel: 'viewer',
        sharedAt: '2026-01-15T12:00:00.000Z',
        shareId,
        sizeBytes: 7,
        mimeType: 'text/plain',
        vaultContainerId: scene.containerId,
      },
    ]);
    const found = await scene.get('GET', '/files/search?query=plan', undefined, as);
    expect([found.total, found.results.map((file: { id: string }) => file.id)]).toEqual([1, [id]]);
    expect(await effective(scene, id, bob)).toEqual({
      flags: ['read', 'preview', 'download'],
      level: 'viewer',
      inherited: false,
      source: `share:${shareId}`,
    });
    // Neither the folder, nor the container, nor what is beside it.
    for (const path of [
      `/folders/${folder}`,
      `/folders/${folder}/path`,
      `/folders/${scene.rootId}`,
      `/folders/resolve/secret%20plans/plan.txt?vaultContainerId=${scene.containerId}`,
      `/files/search?folderId=${folder}`,
    ])
      expect(await statusOf(scene, bob, path), path).toBe('404 FOLDER_NOT_FOUND');
    expect(await statusOf(scene, bob, `/vaults/${scene.containerId}`)).toBe('404 CONTAINER_NOT_FOUND');
    expect(await scene.get('GET', '/vaults', undefined, as)).toEqual([]);
    expect(await statusOf(scene, bob, `/files/${sibling}`)).toBe('404 FILE_NOT_FOUND');
    // Also not for somebody who sees the root folder by another way.
    const seen = await scene.folder('Seen');
    await scene.grant('folder', seen, { principalId: bob.memberId, level: 'viewer' });
    expect((await scene.get('GET', `/folders/${scene.rootId}`, undefined, as)).subfolders).toHaveLength(1);
    expect(
      await statusOf(scene, bob, `/folders/resolve/secret%20plans/plan.txt?vaultContainerId=${scene.containerId}`),
    ).toBe('404 FOLDER_NOT_FOUND');
    expect((await scene.get('GET', `/vaults/${scene.containerId}`, undefined, as)).usedBytes).toBe(7);
    // A file whose folder is seen is in the list of the folder.
    const open = await scene.file('x', { name: 'in the root.txt' });
    await share(scene, open, bob);
    expect((await scene.get('GET', `/folders/${scene.rootId}`, undefined, as)).files).toMatchObject([{ id: open }]);
    const [container] = await scene.get('GET', '/vaults', undefined, as);
    expect([container.fileCount, container.usedBytes]).toEqual([2, 8]);
    // The trash hides it.
    await scene.get('DELETE', `/files/${id}`);
    expect(
      (await scene.get('GET', '/share/shared-with-me', undefined, as)).map((one: { fileId: string }) => one.fileId),
    ).toEqual([open]);
    expect((await scene.get('GET', '/files/search?query=plan', undefined, as)).total).toBe(0);
  });

  it('adds to what the lists grant, and a new level takes the place of the old one', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('some bytes');
    const bob = await scene.house.register();
    const entry = { principalId: bob.memberId, flags: ['read', 'comment'] };
    await scene.grant('file', id, entry);
    const shareId = await share(scene, id, bob);
    expect(await effective(scene, id, bob)).toMatchObject({
      flags: ['read', 'preview', 'comment', 'download'],
      source: `share:${shareId}`,
    });
    expect(await share(scene, id, bob, { permissionLevel: 'editor' })).toBe(shareId);
    expect((await effective(scene, id, bob)).level).toBe('editor');
    const { shares } = await scene.get('GET', `/share/${id}/shares`);
    expect(shares).toMatchObject([
      { shareId, recipientId: bob.memberId, username: bob.username, permissionLevel: 'editor', active: true },
    ]);
    await scene.file('by bob', { replaces: id, token: bob.token });
    await scene.get('PUT', `/acl/file/${id}`, { entries: [{ ...entry, flags: undefined, level: 'owner' }] });
    expect(await effective(scene, id, bob)).toMatchObject({ level: 'owner', source: 'own' });
  });

  it('needs share and everything that it grants, and only known members who are not blocked get it', async () => {
    await using scene = await openScene(engine);
    const { ctx, register } = scene.house;
    const id = await scene.file('some bytes');
    const [bob, cyd, dan] = [await register(), await register(), await register()];
    const ask = async (body: object, token = scene.owner.token) =>
      said(await scene.call('POST', '/share/internal', { fileId: id, recipientId: cyd.memberId, ...body }, { token }));
    expect(await ask({}, bob.token)).toBe('404 FILE_NOT_FOUND');
    await scene.grant('file', id, { principalId: bob.memberId, level: 'editor' });
    expect(await ask({}, bob.token)).toBe('403 FORBIDDEN');
    await scene.get('PUT', `/acl/file/${id}`, {
      entries: [{ principalId: bob.memberId, flags: ['read', 'preview', 'download', 'share'] }],
    });
    expect(await ask({ permissionLevel: 'editor' }, bob.token)).toBe('403 FORBIDDEN');
    expect(await ask({}, bob.token)).toBe('201 success');
    expect(await ask({ permissionLevel: 'boss' })).toBe('400 VALIDATION_ERROR');
    expect(await ask({ recipientId: 'ab'.repeat(12) })).toBe('404 MEMBER_NOT_FOUND');
    expect(await ask({ recipientId: scene.owner.memberId })).toBe('400 VALIDATION_ERROR');
    expect(await ask({ recipientId: scene.owner.memberId }, bob.token)).toBe('400 VALIDATION_ERROR');
    expect(await ask({ wrappedKeys: [] })).toBe('400 VALIDATION_ERROR');
    expect(await ask({ shareId: 'ab'.repeat(16) })).toBe('400 VALIDATION_ERROR');
    await block(ctx, { memberId: dan.memberId }, scene.owner.memberId);
    expect(await ask({ recipientId: dan.memberId })).toBe('404 MEMBER_NOT_FOUND');
    await scene.get('POST', `/vaults/${scene.containerId}/lock`);
    expect(await ask({})).toBe('403 CONTAINER_LOCKED');
  });

  it('is dead as soon as whoever made it could not make it any more', async () => {
    await using scene = await openScene(engine);
    const { ctx, register } = scene.house;
    const id = await scene.file('some bytes');
    const [bob, cyd, dan] = [await register(), await register(), await register()];
    const entry = { principalId: bob.memberId, level: 'owner' };
    const put = async (...entries: object[]) => await scene.get('PUT', `/acl/file/${id}`, { entries });
    await put(entry);
    await share(scene, id, cyd, { permissionLevel: 'owner' }, bob.token);
    await share(scene, id, dan, {}, cyd.token);
    // Two whose shares rest on each other.
    await share(scene, id, bob, { permissionLevel: 'owner' }, cyd.token);
    const seen = async () =>
      await Promise.all(
        [bob, cyd, dan].map(async (who) => (await statusOf(scene, who, `/files/${id}/metadata`)).slice(0, 3)),
      );
    expect(await seen()).toEqual(['200', '200', '200']);
    await put();
    expect(await seen()).toEqual(['404', '404', '404']);
    expect((await scene.get('GET', '/files/search', undefined, { token: dan.token })).total).toBe(0);
    expect(await scene.get('GET', '/share/shared-with-me', undefined, { token: dan.token })).toEqual([]);
    const { shares } = await scene.get('GET', `/share/${id}/shares`);
    expect(shares.map((one: { active: boolean }) => one.active)).toEqual([false, false, false]);
    // Without one of the flags of the level it is not that level.
    await put({
      ...entry,
      level: undefined,
      flags: ['read', 'write', 'delete', 'share', 'admin', 'preview', 'comment', 'download'],
    });
    expect(await seen()).toEqual(['200', '404', '404']);
    await put(entry);
    expect(await seen()).toEqual(['200', '200', '200']);
    const suspend = async (status: 'active' | 'suspended') =>
      await ctx.db.updateTable('members').set({ status }).where('id', '=', bob.memberId).execute();
    await suspend('suspended');
    expect((await seen()).slice(1)).toEqual(['404', '404']);
    await suspend('active');
    await block(ctx, { memberId: dan.memberId }, cyd.memberId);
    expect(await seen()).toEqual(['200', '200', '404']);
    // A condition on the maker is a condition on the share.
    const conditions = { notAfter: '2026-01-15T13:00:00.000Z' };
    await put({ principalId: bob.memberId, flags: permissionFlags, conditions });
    expect(await seen()).toEqual(['200', '200', '404']);
    scene.house.clock.advance(3_600_000);
    expect(await seen()).toEqual(['404', '404', '404']);
  });

  it('encrypts the key of every version to the recipient, and none after the end of the share', async () => {
    await using scene = await openScene(engine);
    const { ctx, register } = scene.house;
    const id = await scene.file('the first');
    await scene.file('the second', { replaces: id });
    const [bob, cyd] = [await register(), await register()];
    const shareId = await share(scene, id, bob);
    const cydsId = await share(scene, id, cyd);
    await scene.file('the third', { replaces: id });
    const keys = async (of = shareId, who = bob) =>
      await scene.call('GET', `/share/internal/${of}/keys`, undefined, { token: who.token });
    const { body } = await keys();
    const [bobs, cyds] = [await privateKeyOf(bob), await privateKeyOf(cyd)];
    const texts = [];
    for (const { contentId, wrappedKey } of body as { contentId: string; wrappedKey: string }[]) {
      const named = { id: contentId, file_id: id };
      const key = eciesDecrypt(bobs, fromHex(wrappedKey), sharedKeyContext(shareId, named));
      const { sealed } = await ctx.db
        .selectFrom('file_blocks')
        .select('sealed')
        .where('content_id', '=', contentId)
        .executeTakeFirstOrThrow();
      texts.push(Buffer.from(openMessage(key, blockContext(named, 0), sealed!)!).toString());
      expect(() => eciesDecrypt(bobs, fromHex(wrappedKey), sharedKeyContext(cydsId, named))).toThrow(CryptoError);
      expect(() => eciesDecrypt(cyds, fromHex(wrappedKey), sharedKeyContext(shareId, named))).toThrow(CryptoError);
    }
    expect(texts.toSorted()).toEqual(['the first', 'the second', 'the third']);
    expect(said(await keys(shareId, cyd))).toBe('404 SHARE_NOT_FOUND');
    // A wrap that is missing, because the share didn't count when the version came, is made when it is asked for.
    await ctx.db
      .deleteFrom('file_share_keys')
      .where('share_id', '=', shareId)
      .where('content_id', '=', body[2].contentId)
      .execute();
    expect((await keys()).body).toHaveLength(3);
    const begun = await scene.begin(10, { replaces: id });
    await scene.chunk(begun.body.sessionId, 0, Buffer.from('the fourth'));
    expect(await scene.get('DELETE', `/share/internal/${shareId}`)).toEqual({
      revoked: true,
      note: 'Versions that are stored from now on are under keys that the recipient never had. What they downloaded before stays with them.',
    });
    await scene.get('POST', `/upload/${begun.body.sessionId}/finalize`, {});
    expect(said(await keys())).toBe('404 SHARE_NOT_FOUND');
    expect(await statusOf(scene, bob, `/files/${id}`)).toBe('404 FILE_NOT_FOUND');
    const rows = await ctx.db.selectFrom('file_share_keys').selectAll().execute();
    expect(rows.filter((row) => row.share_id === shareId).map(({ sealed }) => sealed)).toEqual([null, null, null]);
    expect(rows.filter((row) => row.share_id === cydsId && row.sealed !== null)).toHaveLength(4);
    // Nobody but the owner ever has the key of the container.
    const members = await ctx.db.selectFrom('file_member_keys').select('member_id').execute();
    expect(members).toEqual([{ member_id: scene.owner.memberId }]);
    // A share that is made anew is another one.
    expect(await share(scene, id, bob)).not.toBe(shareId);
    expect(await statusOf(scene, bob, `/files/${id}/metadata`)).toBe('200 success');
  });

  it('gives the key of a version to those who have the file when it is stored, also if that changes meanwhile', async () => {
    await using scene = await openScene(engine);
    const { ctx, register } = scene.house;
    const id = await scene.file('the first');
    const [bob, cyd] = [await register(), await register()];
    const bobs = await share(scene, id, bob);
    const begun = await scene.begin(10, { replaces: id });
    await scene.chunk(begun.body.sessionId, 0, Buffer.from('the second'));
    let cyds = '';
    const happened = scene.house.meanwhile(async () => {
      await scene.get('DELETE', `/share/internal/${bobs}`);
      cyds = await share(scene, id, cyd);
    });
    await scene.get('POST', `/upload/${begun.body.sessionId}/finalize`, {});
    expect(happened()).toBe(true);
    const rows = await ctx.db.selectFrom('file_share_keys').select(['share_id', 'sealed']).execute();
    expect(rows.filter(({ share_id }) => share_id === bobs)).toEqual([{ share_id: bobs, sealed: null }]);
    expect(rows.filter(({ share_id, sealed }) => share_id === cyds && sealed !== null)).toHaveLength(2);
    // The other way round: a version comes while the keys for a new share are made.
    const dan = await register();
    const stored = scene.house.meanwhile(async () => await scene.file('the third', { replaces: id }));
    const dans = await share(scene, id, dan);
    expect(stored()).toBe(true);
    const keys = await scene.get('GET', `/share/internal/${dans}/keys`, undefined, { token: dan.token });
    expect(keys).toHaveLength(3);
    const kept = await ctx.db.selectFrom('file_share_keys').select('content_id').where('share_id', '=', dans).execute();
    expect(kept).toHaveLength(3);
  });

  it('is ended by whoever made it, and by those who hold share and admin', async () => {
    await using scene = await openScene(engine);
    const { register } = scene.house;
    const id = await scene.file('some bytes');
    const [bob, cyd, dan] = [await register(), await register(), await register()];
    const flags = ['read', 'preview', 'download', 'share'];
    await scene.grant('file', id, { principalId: bob.memberId, flags });
    const byBob = await share(scene, id, cyd, {}, bob.token);
    const byOwner = await share(scene, id, cyd);
    const end = async (shareId: string, who: HouseMember) =>
      said(await scene.call('DELETE', `/share/internal/${shareId}`, undefined, { token: who.token }));
    expect(await end(byOwner, dan)).toBe('404 SHARE_NOT_FOUND');
    expect(await end(byOwner, cyd)).toBe('403 FORBIDDEN');
    expect(await end(byOwner, bob)).toBe('403 FORBIDDEN');
    expect(await end(byBob, bob)).toBe('200 success');
    expect(await end(byBob, bob)).toBe('404 SHARE_NOT_FOUND');
    const another = await share(scene, id, cyd, {}, bob.token);
    await scene.get('PUT', `/acl/file/${id}`, {
      entries: [{ principalId: dan.memberId, flags: ['read', 'share', 'admin'] }],
    });
    expect(await end(another, dan)).toBe('200 success');
    expect(await end(byOwner, dan)).toBe('200 success');
    const audit = await scene.get('GET', `/share/${id}/audit`, undefined, { token: dan.token });
    expect(audit.map((one: { action: string }) => one.action)).toEqual([
      'share_revoked',
      'share_revoked',
      'shared_internally',
      'share_revoked',
      'shared_internally',
      'shared_internally',
    ]);
    expect(audit[2]).toEqual({
      action: 'shared_internally',
      shareId: another,
      username: expect.any(String),
      recipientId: cyd.memberId,
      permissionLevel: 'viewer',
      timestamp: '2026-01-15T12:00:00.000Z',
    });
  });

  it('tells who opened a link, from where, and what was shared with whom', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('some bytes', { name: 'a & b.txt' });
    const { token, id: linkId } = await makeLink(scene, id);
    await visit(scene, token, { address: '192.0.2.7' });
    await visit(scene, `${token}/content`, { address: '192.0.2.8' });
    await visit(scene, `${token}?content=false`, { address: '192.0.2.9' });
    const records = await scene.get('GET', `/share/${id}/audit`);
    const accessed = (ipAddress: string) => ({
      action: 'share_link_accessed',
      token: `${token.slice(0, 6)}…`,
      linkId,
      ipAddress,
      timestamp: '2026-01-15T12:00:00.000Z',
    });
    expect(records).toEqual([accessed('192.0.2.8'), accessed('192.0.2.7')]);
    const [listed] = await scene.get('GET', '/vaults');
    expect(listed.sealStatus.accessedCount).toBe(1);
    const xs = encodeURIComponent(`http://localhost/filevault/files/${id}/metadata`);
    const { magnetUrl } = await scene.get('GET', `/share/${id}/magnet`);
    expect(magnetUrl.replace('house.test', 'localhost')).toBe(
      `magnet:?xt=urn:conclave:${id}&dn=a%20%26%20b.txt&xs=${xs}`,
    );
    const bob = await scene.house.register();
    await scene.grant('file', id, { principalId: bob.memberId, flags: ['read'] });
    for (const path of ['audit', 'shares', 'magnet'])
      expect(await statusOf(scene, bob, `/share/${id}/${path}`)).toBe('403 FORBIDDEN');
  });

  it('records an access before the first byte, and sends none if that fails', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('some bytes');
    const { token } = await makeLink(scene, id, { maxAccessCount: 1 });
    for (const path of [token, `${token}/content`]) {
      scene.house.spoil();
      const answer = await visit(scene, path);
      expect(answer.status).toBe(500);
      expect(JSON.stringify(answer.body)).not.toContain(Buffer.from('some bytes').toString('base64'));
    }
    expect((await fetchContent(scene, token)).status).toBe(200);
  });

  it('has limits for one file, also for many requests at once', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('some bytes');
    const { db } = scene.house.ctx;
    const { id: first } = await makeLink(scene, id);
    const row = await db.selectFrom('file_links').selectAll().executeTakeFirstOrThrow();
    for (let at = 0; at < 97; at += 1)
      await db
        .insertInto('file_links')
        .values({ ...row, id: at.toString(16).padStart(32, '0'), token_hash: `${at}` })
        .execute();
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () =>
        said(await scene.call('POST', '/share/link', { fileId: id, mode: 'server_proxied' })),
      ),
    );
    expect(answers.toSorted()).toEqual([...Array(2).fill('201 success'), ...Array(6).fill('409 LINKS_FULL')]);
    await scene.call('DELETE', `/share/link/${first}`);
    expect(said(await scene.call('POST', '/share/link', { fileId: id, mode: 'server_proxied' }))).toBe('201 success');
    const bob = await scene.house.register();
    // Two that share with the same member at once make one share.
    const both = await Promise.all([share(scene, id, bob), share(scene, id, bob, { permissionLevel: 'editor' })]);
    expect(new Set(both).size).toBe(1);
    const one = await db.selectFrom('file_shares').selectAll().executeTakeFirstOrThrow();
    for (let at = 0; at < 199; at += 1)
      await db
        .insertInto('file_shares')
        .values({ ...one, id: at.toString(16).padStart(32, '0'), recipient_id: `${at}` })
        .execute();
    const cyd = await scene.house.register();
    expect(said(await scene.call('POST', '/share/internal', { fileId: id, recipientId: cyd.memberId }))).toBe(
      '409 SHARES_FULL',
    );
  });
});
