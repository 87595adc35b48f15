import { describe, expect, it } from 'vitest';
import { openSecret } from '../../../src/shared/members/session-secrets.ts';
import { authenticate } from '../../../src/shared/members/authenticate.ts';
import { CryptoError } from '../../../src/crypto/crypto-error.ts';
import { openBytes, type FieldClass } from '../../../src/services/passvault/vaults/sealing.ts';
import { inStage } from '../../support/stage.ts';
import { engines } from '../../support/stores.ts';
import { masterPassword, openScene, said, shareWith, type Scene } from './scene.ts';

/** The data key that a session has, as its request would open it. */
async function dataKeyOf(scene: Scene, token: string): Promise<Uint8Array> {
  const { ctx } = scene.house;
  const actor = await authenticate(ctx, token, { address: 'test', userAgent: 'test' }, { local: false });
  const { name, sealed } = await ctx.db
    .selectFrom('session_secrets')
    .selectAll()
    .where('session_id', '=', actor.sessionId)
    .executeTakeFirstOrThrow();
  return openSecret(actor, name, sealed).slice(4, 36);
}

interface Ciphertext {
  readonly fieldClass: FieldClass;
  readonly id: string;
  readonly version: number;
  readonly sealed: Uint8Array;
}

/** Everything that the store has of a vault under its data key. */
async function ciphertexts({ house, vaultId }: Scene): Promise<Ciphertext[]> {
  const { db, blocks } = house.ctx;
  const vault = await db.selectFrom('passvault_vaults').selectAll().where('id', '=', vaultId).executeTakeFirstOrThrow();
  const entries = await db.selectFrom('passvault_entries').selectAll().execute();
  const pages = await db.selectFrom('passvault_pages').selectAll().execute();
  const attachments = await db.selectFrom('passvault_attachments').selectAll().execute();
  return [
    { fieldClass: 'header', id: '', version: vault.key_version, sealed: vault.header },
    ...entries.map((row) => ({ fieldClass: 'entry' as const, id: row.id, version: row.version, sealed: row.sealed })),
    ...pages.map((row) => ({
      fieldClass: 'page' as const,
      id: String(row.page),
      version: row.version,
      sealed: row.sealed,
    })),
    ...attachments.map((row) => ({
      fieldClass: 'attachment' as const,
      id: `${row.entry_id}/${row.id}`,
      version: 1,
      sealed: row.sealed,
    })),
    ...(await Promise.all(
      attachments.map(async (row) => ({
        fieldClass: 'attachment-content' as const,
        id: `${row.entry_id}/${row.id}`,
        version: 1,
        sealed: await blocks.get(row.block_id),
      })),
    )),
  ];
}

const opens = (key: Uint8Array, vaultId: string, { sealed, ...place }: Ciphertext): boolean => {
  try {
    openBytes(key, { vaultId, ...place }, sealed);
    return true;
  } catch (error) {
    if (error instanceof CryptoError) return false;
    throw error;
  }
};

describe.each(engines)('sharing a vault on %s', (engine) => {
  it('lets members read and write the same entries', async () => {
    await using scene = await openScene(engine);
    const friend = await scene.house.register();
    const id = await scene.login({ title: 'Shared', password: 'by the owner' });
    await shareWith(scene, friend);
    expect((await scene.in('GET', `/entries/${id}`, undefined, friend.token)).entry.password).toBe('by the owner');
    await scene.in('PUT', `/entries/${id}`, { password: 'by the friend' }, friend.token);
    expect((await scene.in('GET', `/entries/${id}`)).entry.password).toBe('by the friend');
    const log = await scene.in('GET', '/audit-log');
    expect(
      log.entries.map((one: { action: string; memberId: string }) => [one.action, one.memberId === friend.memberId]),
    ).toEqual([
      ['ENTRY_READ', false],
      ['ENTRY_UPDATED', true],
      ['ENTRY_READ', true],
      ['VAULT_OPENED', true],
      ['VAULT_SHARED', false],
      ['ENTRY_CREATED', false],
      ['VAULT_CREATED', false],
    ]);
  });

  it('refuses who cannot have it', async () => {
    await using scene = await openScene(engine);
    const friend = await scene.house.register();
    const share = async (ids: unknown) =>
      said(await scene.call('POST', `/vaults/${scene.vaultId}/share`, { recipientMemberIds: ids }));
    expect(await share([])).toBe('400 VALIDATION_ERROR');
    expect(await share('x')).toBe('400 VALIDATION_ERROR');
    expect(await share([scene.owner.memberId])).toBe('400 VALIDATION_ERROR');
    expect(await share(['0'.repeat(24)])).toBe('400 VALIDATION_ERROR');
    expect(await share([friend.memberId, friend.memberId])).toBe('400 VALIDATION_ERROR');
    expect(await share([friend.memberId])).toBe('200 success');
    expect(await share([friend.memberId])).toBe('200 success');
    const shared = await scene.house.ctx.db
      .selectFrom('passvault_audit')
      .select('id')
      .where('action', '=', 'VAULT_SHARED')
      .execute();
    expect(shared).toHaveLength(1);
  });

  it('takes members by username and e-mail address too, whole, in any case', async () => {
    await using scene = await openScene(engine);
    const friend = await scene.house.register({ username: 'Frida_1' });
    const other = await scene.house.register({ username: 'other', email: 'O.Ther@example.org' });
    const unverified = await scene.call('POST', `/vaults/${scene.vaultId}/share`, {
      recipientMemberIds: [other.email],
    });
    await scene.house.ctx.db
      .updateTable('members')
      .set((e) => ({ verified_email_key: e.ref('email_key') }))
      .where('id', '=', other.memberId)
      .execute();
    // Somebody else's id is no name to hide behind.
    await scene.house.register({ username: friend.memberId, email: 'thief@example.org' });
    const at = `/vaults/${scene.vaultId}`;
    const share = async (...names: string[]) => await scene.call('POST', `${at}/share`, { recipientMemberIds: names });
    const unknown = await share('0'.repeat(24));
    expect(said(unknown)).toBe('400 VALIDATION_ERROR');
    expect(unverified.body).toEqual(unknown.body);
    for (const name of ['frida', 'Frida_1x', 'example.org', 'frida@example.org', '%', 'frida__'])
      expect((await share(name)).body, name).toEqual(unknown.body);
    expect(said(await share('frida_1', friend.memberId))).toBe('400 VALIDATION_ERROR');
    expect(said(await share('frida_1', 'FRIDA_1'))).toBe('400 VALIDATION_ERROR');
    const { username } = await scene.house.ctx.db
      .selectFrom('members')
      .select('username')
      .where('id', '=', scene.owner.memberId)
      .executeTakeFirstOrThrow();
    expect(said(await share(username))).toBe('400 VALIDATION_ERROR');
    expect((await share('FRIDA_1', 'o.ther@EXAMPLE.org')).body.data).toEqual({
      shared: true,
      recipientMemberIds: [friend.memberId, other.memberId],
    });
    expect((await share(friend.memberId.toUpperCase())).body.data.recipientMemberIds).toEqual([friend.memberId]);
    const { trustees } = await scene.in('POST', '/emergency-access', { threshold: 1, trustees: ['frida_1', 'Other'] });
    expect(trustees).toEqual([friend.memberId, other.memberId]);
    const revoke = async (memberId: string) => await scene.call('POST', `${at}/revoke-share`, { memberId });
    const nobody = await revoke('0'.repeat(24));
    expect((await revoke('nobody')).body).toEqual(nobody.body);
    expect((await revoke('o.ther@example.org')).body.data).toMatchObject({ revoked: true, memberId: other.memberId });
    expect((await revoke('frida_1')).body.data).toEqual({
      revoked: true,
      memberId: friend.memberId,
      emergencyAccess: { state: 'ended', epoch: 3, threshold: 1, trustees: [] },
    });
    const log = await scene.in('GET', '/audit-log');
    expect(log.usernames).toEqual({
      [scene.owner.memberId]: username,
      [friend.memberId]: 'Frida_1',
      [other.memberId]: 'other',
    });
  });

  it('refuses a public key that is not the one of its member', async () => {
    await using scene = await openScene(engine);
    const [friend, thief] = [await scene.house.register(), await scene.house.register()];
    await scene.house.ctx.store.transaction(async (db) => {
      const { public_key } = await db
        .selectFrom('members')
        .select('public_key')
        .where('id', '=', thief.memberId)
        .executeTakeFirstOrThrow();
      await db
        .updateTable('members')
        .set({ public_key: `${public_key}x` })
        .where('id', '=', thief.memberId)
        .execute();
      await db.updateTable('members').set({ public_key }).where('id', '=', friend.memberId).execute();
    });
    const answer = await scene.call('POST', `/vaults/${scene.vaultId}/share`, {
      recipientMemberIds: [friend.memberId],
    });
    expect(answer.status).toBe(500);
    expect(await scene.house.ctx.db.selectFrom('passvault_members').selectAll().execute()).toHaveLength(1);
  });

  it('ends with everything under a key that the former member never had', async () => {
    await using scene = await openScene(engine);
    const [former, friend, trustee] = [
      await scene.house.register(),
      await scene.house.register(),
      await scene.house.register(),
    ];
    const id = await scene.login({ title: 'Before', password: 'old secret' });
    await scene.in('POST', `/entries/${id}/attachments`, {
      filename: 'a.txt',
      content: Buffer.from('content').toString('base64'),
    });
    await shareWith(scene, former);
    await shareWith(scene, friend);
    await scene.in('POST', '/emergency-access', { threshold: 1, trustees: [trustee.memberId] });
    const theirs = await dataKeyOf(scene, former.token);
    const before = await ciphertexts(scene);
    expect(before).toHaveLength(5);
    expect(before.every((one) => opens(theirs, scene.vaultId, one))).toBe(true);
    const rows = async () => ({
      members: await scene.house.ctx.db.selectFrom('passvault_members').selectAll().orderBy('member_id').execute(),
      emergency: await scene.house.ctx.db.selectFrom('passvault_emergency').selectAll().execute(),
      vault: await scene.house.ctx.db.selectFrom('passvault_vaults').select('wrapped_key').execute(),
    });
    const wrapsBefore = await rows();

    await scene.in('POST', '/revoke-share', { memberId: former.memberId });
    await scene.login({ title: 'After', password: 'new secret' });
    const after = await ciphertexts(scene);
    expect(after).toHaveLength(6);
    expect(after.filter((one) => opens(theirs, scene.vaultId, one))).toEqual([]);
    const ours = await dataKeyOf(scene, scene.owner.token);
    expect(after.every((one) => opens(ours, scene.vaultId, one))).toBe(true);
    expect((await scene.house.ctx.blocks.stat()).blocks).toBe(1);
    const wrapsAfter = await rows();
    expect(wrapsAfter.members.map((row) => row.member_id)).not.toContain(former.memberId);
    for (const row of wrapsAfter.members.filter((one) => one.role === 'recipient'))
      expect(wrapsBefore.members.find((one) => one.member_id === row.member_id)?.wrapped_key).not.toEqual(
        row.wrapped_key,
      );
    expect(wrapsAfter.emergency[0]?.wrapped_key).not.toEqual(wrapsBefore.emergency[0]?.wrapped_key);
    expect(wrapsAfter.vault).not.toEqual(wrapsBefore.vault);

    // For them it is as if there were no vault; for the others it is closed, and opens again.
    expect(said(await scene.call('GET', `/vaults/${scene.vaultId}/entries`, undefined, former.token))).toBe(
      '404 VAULT_NOT_FOUND',
    );
    expect((await scene.call('GET', '/vaults', undefined, former.token)).body.data.vaults).toEqual([]);
    expect(said(await scene.call('GET', `/vaults/${scene.vaultId}/entries`, undefined, friend.token))).toBe(
      '401 VAULT_LOCKED',
    );
    const opened = await scene.in('POST', '/open', { masterPassword: friend.password }, friend.token);
    expect(opened.vault.propertyRecords).toMatchObject([{ title: 'Before' }, { title: 'After' }]);
    await scene.in('POST', '/lock', {});
    await scene.in('POST', '/open', { masterPassword });
    const { entry } = await scene.in('GET', `/entries/${id}`);
    expect(entry.password).toBe('old secret');
    const { attachment } = await scene.in('GET', `/entries/${id}/attachments/${entry.attachments[0].id}`);
    expect(Buffer.from(attachment.content, 'base64').toString()).toBe('content');
    // Trustees keep their shares.
    const { share } = await scene.in('GET', '/emergency-share', undefined, trustee.token);
    const shares = [{ trusteeId: trustee.memberId, encryptedShare: share.recoveryShare }];
    expect((await scene.in('POST', '/emergency-recover', { shares }, trustee.token)).vault.recovered).toBe(true);
  });

  it('cannot end for somebody who does not have it', async () => {
    await using scene = await openScene(engine);
    const friend = await scene.house.register();
    const revoke = async (memberId: string) =>
      said(await scene.call('POST', `/vaults/${scene.vaultId}/revoke-share`, { memberId }));
    expect(await revoke(friend.memberId)).toBe('400 VALIDATION_ERROR');
    expect(await revoke(scene.owner.memberId)).toBe('400 VALIDATION_ERROR');
    const { key_version } = await scene.house.ctx.db
      .selectFrom('passvault_vaults')
      .select('key_version')
      .executeTakeFirstOrThrow();
    expect(key_version).toBe(1);
  });

  it('re-encrypts many entries, also while they are being changed', { tags: 'thorough' }, async () => {
    await using scene = await openScene(engine);
    const friend = await scene.house.register();
    const csv = Array.from(
      { length: inStage(600, 600, 1_200) },
      (_, at) => `Site ${at},https://s${at}.example,user${at},pw${at}`,
    ).join('\n');
    const fileContent = Buffer.from(`name,url,username,password\n${csv}\n`).toString('base64');
    await scene.in('POST', '/import', { format: 'browserA_csv', fileContent });
    await shareWith(scene, friend);
    const { entries } = await scene.in('GET', '/entries');
    const [revoked, ...changed] = await Promise.all([
      scene.call('POST', `/vaults/${scene.vaultId}/revoke-share`, { memberId: friend.memberId }),
      ...[3, 300, 500].map((at) =>
        scene.call('PUT', `/vaults/${scene.vaultId}/entries/${entries[at].id}`, { title: `Changed ${at}` }),
      ),
    ]);
    expect(said(revoked)).toBe('200 success');
    expect(changed.map(said)).toEqual(['200 success', '200 success', '200 success']);
    expect((await scene.in('POST', '/search', { query: 'changed' })).results).toHaveLength(3);
    for (const at of [0, 3, 400, 599])
      expect((await scene.in('GET', `/entries/${entries[at].id}`)).entry.password).toBe(`pw${at}`);
  });
});
