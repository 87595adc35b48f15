import { describe, expect, it } from 'vitest';
import { purgeExpired } from '../../../src/services/accounts/purge.ts';
import { services } from '../../../src/node/services.ts';
import { createApp } from '../../../src/http/app.ts';
import { unlimited } from '../../../src/http/limits.ts';
import { engines } from '../../support/stores.ts';
import { masterPassword, openScene, said, shareWith, type Scene } from './scene.ts';

const MINUTE = 60_000;
const entries = async (scene: Scene, token?: string) =>
  said(await scene.call('GET', `/vaults/${scene.vaultId}/entries`, undefined, token));
const open = async (scene: Scene, password: string, token?: string) =>
  await scene.call('POST', `/vaults/${scene.vaultId}/open`, { masterPassword: password }, token);

describe.each(engines)('opening a vault on %s', (engine) => {
  it('is done for its creator', async () => {
    await using scene = await openScene(engine);
    expect(await entries(scene)).toBe('200 success');
    const { body } = await scene.call('GET', '/vaults');
    expect(body.data.vaults).toEqual([
      {
        id: scene.vaultId,
        name: 'Home',
        ownerId: scene.owner.memberId,
        ownerUsername: 'member-1',
        createdAt: '2026-01-15T12:00:00.000Z',
        modifiedAt: '2026-01-15T12:00:00.000Z',
        entryCount: 0,
        sharedWith: [],
        role: 'owner',
        open: true,
      },
    ]);
  });

  it('takes the master password, in any spelling of it, and no other', async () => {
    await using scene = await openScene(engine);
    const { body } = await scene.call('POST', '/vaults', { name: 'Café', masterPassword: 'cafe\u0301 of the house' });
    const path = `/vaults/${body.data.vault.id}/open`;
    expect(said(await scene.call('POST', path, { masterPassword: 'café of the house' }))).toBe('200 success');
    expect(said(await scene.call('POST', path, { masterPassword: 'cafe of the house' }))).toBe(
      '401 INVALID_MASTER_PASSWORD',
    );
    expect(said(await open(scene, scene.owner.password))).toBe('401 INVALID_MASTER_PASSWORD');
    const opened = await open(scene, masterPassword);
    expect(opened.body.data.vault.metadata).toMatchObject({
      id: scene.vaultId,
      name: 'Home',
      vcblBlockId: expect.stringMatching(/^[0-9a-f]{128}$/),
    });
    expect(opened.body.data.vault.propertyRecords).toEqual([]);
  });

  it('tells passwords apart that differ in byte 73', async () => {
    await using scene = await openScene(engine);
    const long = 'äöüßéñçøå'.repeat(4);
    const { body } = await scene.call('POST', '/vaults', { name: 'Long', masterPassword: `${long}x` });
    const path = `/vaults/${body.data.vault.id}/open`;
    expect(said(await scene.call('POST', path, { masterPassword: `${long}y` }))).toBe('401 INVALID_MASTER_PASSWORD');
    expect(said(await scene.call('POST', path, { masterPassword: `${long}x` }))).toBe('200 success');
  });

  it('is for one session', async () => {
    await using scene = await openScene(engine);
    const other = await scene.house.signIn(scene.owner);
    expect(await entries(scene, other)).toBe('401 VAULT_LOCKED');
    expect(said(await open(scene, masterPassword, other))).toBe('200 success');
    expect(await entries(scene, other)).toBe('200 success');
    await scene.in('POST', '/lock', {}, other);
    expect(await entries(scene, other)).toBe('401 VAULT_LOCKED');
    expect(await entries(scene)).toBe('200 success');
  });

  it('lasts 15 minutes from the last use', async () => {
    await using scene = await openScene(engine);
    for (let turn = 0; turn < 4; turn += 1) {
      scene.house.clock.advance(15 * MINUTE - 1);
      expect(await entries(scene)).toBe('200 success');
    }
    scene.house.clock.advance(15 * MINUTE);
    expect(await entries(scene)).toBe('401 VAULT_LOCKED');
    expect((await scene.call('GET', '/vaults')).body.data.vaults[0].open).toBe(false);
    await purgeExpired(scene.house.ctx);
    expect(await scene.house.ctx.db.selectFrom('session_secrets').select('name').execute()).toEqual([]);
  });

  it('ends with the session', async () => {
    await using scene = await openScene(engine);
    const { db } = scene.house.ctx;
    expect(await db.selectFrom('session_secrets').select('name').execute()).toHaveLength(1);
    await scene.house.api('POST', '/api/user/logout', { token: scene.owner.token, body: {} });
    expect(await db.selectFrom('session_secrets').select('name').execute()).toEqual([]);
    expect(await entries(scene)).toBe('401 UNAUTHORIZED');
  });

  it('survives a refreshed token, and a restart', async () => {
    await using scene = await openScene(engine);
    const { house, owner } = scene;
    const refresh = async (token: string): Promise<string> =>
      (await house.api('GET', '/api/user/refresh-token', { token })).body.token;
    const second = await refresh(owner.token);
    expect(await entries(scene, second)).toBe('200 success');
    expect(await entries(scene)).toBe('200 success');
    const third = await refresh(second);
    expect(await entries(scene, third)).toBe('200 success');
    expect(await entries(scene)).toBe('200 success');
    house.clock.advance(30_000);
    expect(await entries(scene)).toBe('401 UNAUTHORIZED');
    const fourth = await refresh(third);
    // Of the tokens whose time is over nothing is left.
    expect(await house.ctx.db.selectFrom('session_secrets').select('name').execute()).toHaveLength(2);
    expect(await entries(scene, fourth)).toBe('200 success');

    const restarted = createApp(house.ctx, { services, trusted: false, limits: unlimited });
    const response = await restarted.fetch(
      new Request(`http://house.test/api/passvault/vaults/${scene.vaultId}/entries`, {
        headers: { authorization: `Bearer ${third}` },
      }),
    );
    expect(response.status).toBe(200);
  });

  it('with a token that another tab has replaced holds for the newest token as well', async () => {
    await using scene = await openScene(engine);
    const { house, owner } = scene;
    const refresh = async (token: string): Promise<string> =>
      (await house.api('GET', '/api/user/refresh-token', { token })).body.token;
    await scene.call('POST', `/vaults/${scene.vaultId}/lock`, {});
    const second = await refresh(owner.token);
    expect(await entries(scene, second)).toBe('401 VAULT_LOCKED');
    await scene.in('POST', '/open', { masterPassword });
    expect(await refresh(owner.token)).toBe(second);
    expect(await entries(scene, second)).toBe('200 success');
    // What is locked in one tab is locked in all of them, and doesn't come back.
    await scene.call('POST', `/vaults/${scene.vaultId}/lock`, {});
    expect(await refresh(owner.token)).toBe(second);
    expect(await entries(scene, second)).toBe('401 VAULT_LOCKED');
  });

  it('keeps nothing in the store that opens a vault', async () => {
    await using scene = await openScene(engine);
    const [row] = await scene.house.ctx.db.selectFrom('session_secrets').selectAll().execute();
    // A session's row and another session's token don't go together.
    const other = await scene.house.signIn(scene.owner);
    const ids = await scene.house.ctx.db
      .selectFrom('sessions')
      .select(['id', 'jti_hash'])
      .orderBy('created_at')
      .execute();
    const target = ids.find((session) => session.id !== row!.session_id)!;
    await scene.house.ctx.store.transaction(async (db) => {
      const stolen = { ...row!, session_id: target.id, jti_hash: target.jti_hash };
      await db.insertInto('session_secrets').values(stolen).execute();
    });
    expect(await entries(scene, other)).toBe('500 INTERNAL_ERROR');
  });

  it('takes the account password of a member with whom it is shared', async () => {
    await using scene = await openScene(engine);
    const friend = await scene.house.register();
    await scene.in('POST', '/share', { recipientMemberIds: [friend.memberId] });
    expect(await entries(scene, friend.token)).toBe('401 VAULT_LOCKED');
    expect(said(await open(scene, masterPassword, friend.token))).toBe('401 INVALID_MASTER_PASSWORD');
    expect(said(await open(scene, friend.password, friend.token))).toBe('200 success');
    expect(await entries(scene, friend.token)).toBe('200 success');
    const [seen] = (await scene.call('GET', '/vaults', undefined, friend.token)).body.data.vaults;
    expect(seen).toMatchObject({ name: 'Home', role: 'recipient', open: true, sharedWith: [friend.memberId] });
  });

  it('is limited to 10 attempts in 15 minutes', async () => {
    await using plain = await openScene(engine);
    await using scene = await openScene(engine, {
      config: { limits: { ...plain.house.ctx.config.limits, enabled: true } },
    });
    const answers: string[] = [];
    for (let turn = 0; turn < 11; turn += 1) answers.push(said(await open(scene, 'a wrong password')));
    expect(answers.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => '401 INVALID_MASTER_PASSWORD'));
    expect(answers[10]).toBe('429 RATE_LIMITED');
    const wrong = await scene.call('DELETE', `/vaults/${scene.vaultId}`, { masterPassword });
    expect(said(wrong)).toBe('429 RATE_LIMITED');
    expect(wrong.headers.get('retry-after')).toMatch(/^\d+$/);
  });
});

describe.each(engines)('the master password on %s', (engine) => {
  it('is changed with the old one; other sessions close', async () => {
    await using scene = await openScene(engine);
    await scene.login({ title: 'Kept' });
    const other = await scene.house.signIn(scene.owner);
    await scene.in('POST', '/open', { masterPassword }, other);
    const change = async (body: object) =>
      said(await scene.call('POST', `/vaults/${scene.vaultId}/change-master-password`, body));
    const newMasterPassword = 'the next master password';
    expect(await change({ masterPassword: 'not the old one', newMasterPassword })).toBe('401 INVALID_MASTER_PASSWORD');
    expect(await change({ newMasterPassword })).toBe('400 VALIDATION_ERROR');
    expect(await change({ masterPassword, newMasterPassword: 'password' })).toBe('400 PASSWORD_WEAK');
    expect(await change({ masterPassword, newMasterPassword })).toBe('200 success');
    expect(await entries(scene, other)).toBe('401 VAULT_LOCKED');
    expect(await entries(scene)).toBe('200 success');
    expect(said(await open(scene, masterPassword))).toBe('401 INVALID_MASTER_PASSWORD');
    const opened = await open(scene, newMasterPassword, other);
    expect(opened.body.data.vault.propertyRecords).toMatchObject([{ title: 'Kept' }]);
  });

  it('deletes the vault, for everybody', async () => {
    await using scene = await openScene(engine);
    const friend = await scene.house.register();
    await shareWith(scene, friend);
    const id = await scene.login();
    await scene.in('POST', `/entries/${id}/attachments`, { filename: 'a', content: 'aGVsbG8=' });
    const remove = async (body: object, token?: string) =>
      said(await scene.call('DELETE', `/vaults/${scene.vaultId}`, body, token));
    expect(await remove({})).toBe('400 VALIDATION_ERROR');
    expect(await remove({ masterPassword: 'wrong wrong' })).toBe('401 INVALID_MASTER_PASSWORD');
    expect(await remove({ masterPassword }, friend.token)).toBe('404 VAULT_NOT_FOUND');
    expect(await remove({ masterPassword })).toBe('200 success');
    expect(await remove({ masterPassword })).toBe('404 VAULT_NOT_FOUND');
    expect(await entries(scene, friend.token)).toBe('404 VAULT_NOT_FOUND');
    const { ctx } = scene.house;
    for (const table of ['passvault_entries', 'passvault_pages', 'passvault_members', 'passvault_attachments'] as const)
      expect(await ctx.db.selectFrom(table).selectAll().execute(), table).toEqual([]);
    expect((await ctx.blocks.stat()).blocks).toBe(0);
    const last = await ctx.db
      .selectFrom('passvault_audit')
      .select('action')
      .orderBy('ledger_entry', 'desc')
      .executeTakeFirst();
    expect(last?.action).toBe('VAULT_DELETED');
  });

  it('is refused when it is weak', async () => {
    await using scene = await openScene(engine);
    for (const weak of ['short', 'password123', scene.owner.username])
      expect(said(await scene.call('POST', '/vaults', { name: 'x', masterPassword: weak })), weak).toBe(
        '400 PASSWORD_WEAK',
      );
  });
});
