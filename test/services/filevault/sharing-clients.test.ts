import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/crypto/bytes.ts';
import { eciesDecrypt, eciesEncrypt } from '../../../src/crypto/ecies.ts';
import { sharedKeyContext } from '../../../src/crypto/formats/file-content/file-content.ts';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { memberIdOf } from '../../../src/crypto/public-key.ts';
import { engines } from '../../support/stores.ts';
import { openScene, said } from './scene.ts';
import { privateKeyOf, visit } from './sharing-scene.ts';

describe.each(engines)('sharing from a client-encrypted container on %s', (engine) => {
  it('takes the keys of clients where the node has none', async () => {
    await using scene = await openScene(engine);
    const { ctx, register } = scene.house;
    const id = await scene.file('some bytes');
    await ctx.db.updateTable('file_containers').set({ client_encrypted: 1 }).execute();
    const bob = await register();
    const content = await ctx.db.selectFrom('file_contents').select(['id', 'file_id']).executeTakeFirstOrThrow();
    const key = new Uint8Array(ctx.random(32));
    const [shareId, linkId] = ['0a'.repeat(16), '0b'.repeat(16)];
    const wrap = (publicKey: Uint8Array, context: string) =>
      toHex(eciesEncrypt(publicKey, key, sharedKeyContext(context, content)));
    const bobsKey = fromHex(
      (await ctx.db.selectFrom('members').select('public_key').where('id', '=', bob.memberId).executeTakeFirstOrThrow())
        .public_key,
    );
    const wrappedKeys = [{ contentId: content.id, wrapped: wrap(bobsKey, shareId) }];
    const internal = async (more: object) =>
      said(await scene.call('POST', '/share/internal', { fileId: id, recipientId: bob.memberId, ...more }));
    expect(await internal({})).toBe('400 VALIDATION_ERROR');
    expect(await internal({ shareId })).toBe('400 VALIDATION_ERROR');
    expect(await internal({ shareId, wrappedKeys: [] })).toBe('400 VALIDATION_ERROR');
    expect(await internal({ shareId, wrappedKeys: [{ ...wrappedKeys[0], wrapped: 'ab' }] })).toBe(
      '400 VALIDATION_ERROR',
    );
    expect(await internal({ shareId, wrappedKeys })).toBe('201 success');
    expect(await internal({ shareId: linkId, wrappedKeys })).toBe('409 SHARE_ID_TAKEN');
    expect(await internal({ shareId, wrappedKeys: [], permissionLevel: 'editor' })).toBe('201 success');
    const [given] = await scene.get('GET', `/share/internal/${shareId}/keys`, undefined, { token: bob.token });
    expect(
      eciesDecrypt(await privateKeyOf(bob), fromHex(given.wrappedKey), sharedKeyContext(shareId, content)),
    ).toEqual(key);

    const link = async (more: object) =>
      await scene.call('POST', '/share/link', { fileId: id, mode: 'ephemeral_key_pair', ...more });
    const pair = generateKeyPair();
    const brought = { linkId, ephemeralPublicKey: toHex(pair.publicKey), wrappedKey: wrap(pair.publicKey, linkId) };
    expect(said(await link({ mode: 'server_proxied' }))).toBe('400 CLIENT_ENCRYPTED');
    expect(said(await link({}))).toBe('400 VALIDATION_ERROR');
    expect(said(await link({ ...brought, ephemeralPublicKey: undefined }))).toBe('400 VALIDATION_ERROR');
    expect(said(await link({ ...brought, linkId: shareId }))).toBe('409 SHARE_ID_TAKEN');
    const made = await link(brought);
    expect([made.status, made.body.id, new URL(made.body.url).hash]).toEqual([201, linkId, '']);
    expect(said(await link(brought))).toBe('409 SHARE_ID_TAKEN');
    const { body } = await visit(scene, made.body.token);
    expect(eciesDecrypt(pair.privateKey, fromHex(body.wrappedKey), sharedKeyContext(linkId, content))).toEqual(key);
    const recipient = {
      mode: 'recipient_public_key',
      recipientPublicKey: toHex(pair.publicKey),
      linkId: '0c'.repeat(16),
    };
    expect(said(await link(recipient))).toBe('400 VALIDATION_ERROR');
    expect(said(await link({ ...recipient, wrappedKey: wrap(pair.publicKey, recipient.linkId) }))).toBe('201 success');
    await ctx.db.updateTable('file_containers').set({ client_encrypted: 0 }).execute();
    expect(said(await link(brought))).toBe('400 VALIDATION_ERROR');
  });

  it('shows the public key of a member to those who may share, and what opens a file by a share', async () => {
    await using scene = await openScene(engine);
    const { ctx, register } = scene.house;
    const id = await scene.file('some bytes');
    const [bob, cyd] = [await register(), await register()];
    const shown = await scene.get('GET', `/share/recipient?fileId=${id}&member=${bob.memberId}`);
    expect(shown).toMatchObject({ memberId: bob.memberId, publicKey: expect.stringMatching(/^0[23][0-9a-f]{64}$/) });
    expect(memberIdOf(fromHex(shown.publicKey))).toBe(bob.memberId);
    const asked = async (token: string, member: string): Promise<string> =>
      said(await scene.call('GET', `/share/recipient?fileId=${id}&member=${member}`, undefined, { token }));
    expect(await asked(bob.token, cyd.memberId)).toBe('404 FILE_NOT_FOUND');
    expect(await asked(scene.owner.token, 'nobody')).toBe('404 MEMBER_NOT_FOUND');

    await ctx.db.updateTable('file_containers').set({ client_encrypted: 1 }).execute();
    const content = await ctx.db.selectFrom('file_contents').select('id').executeTakeFirstOrThrow();
    const shareId = '0a'.repeat(16);
    const wrapped = `010121${'ab'.repeat(97)}`;
    const keys = async (token: string): Promise<string> =>
      said(await scene.call('GET', `/files/${id}/keys`, undefined, { token }));
    expect(await keys(bob.token)).toBe('404 FILE_NOT_FOUND');
    const brought = {
      fileId: id,
      recipientId: bob.memberId,
      shareId,
      wrappedKeys: [{ contentId: content.id, wrapped }],
    };
    expect(said(await scene.call('POST', '/share/internal', brought))).toBe('201 success');
    const given = await scene.get('GET', `/files/${id}/keys`, undefined, { token: bob.token });
    expect(given).toMatchObject({ contentId: content.id, shareId });
    expect(Object.keys(given)).not.toContain('containerKey');
    // The owner has no key of the container here, and no share either.
    expect(await keys(scene.owner.token)).toBe('409 KEY_MISSING');
    await ctx.db.deleteFrom('file_share_keys').execute();
    expect(await keys(bob.token)).toBe('409 KEY_MISSING');
    expect(said(await scene.call('DELETE', `/share/internal/${shareId}`))).toBe('200 success');
    expect(await keys(bob.token)).toBe('404 FILE_NOT_FOUND');
  });
});
