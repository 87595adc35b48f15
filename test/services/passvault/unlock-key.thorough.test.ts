import { describe, expect, it } from 'vitest';
import type { Method } from '../../../src/contract/operation.ts';
import { engines } from '../../support/stores.ts';
import { masterPassword, openScene, said, type Scene } from './scene.ts';

const key = Buffer.alloc(32, 1).toString('base64url');
const another = Buffer.alloc(32, 2).toString('base64url');
const withKey = (value: string | undefined): Record<string, string> =>
  value === undefined ? {} : { 'x-vault-unlock': value };

interface Asking {
  readonly body?: object;
  readonly token?: string;
}

async function ask(scene: Scene, method: Method, path: string, unlockKey?: string, { body, token }: Asking = {}) {
  return await scene.call(method, `/vaults/${scene.vaultId}${path}`, body, token, withKey(unlockKey));
}

async function isOpen(scene: Scene, unlockKey?: string, token?: string): Promise<boolean> {
  const answer = said(await ask(scene, 'GET', '/entries', unlockKey, { ...(token !== undefined && { token }) }));
  const { body } = await scene.call('GET', '/vaults', undefined, token, withKey(unlockKey));
  const open = answer === '200 success';
  if (!open) expect(answer).toBe('401 VAULT_LOCKED');
  // The list says what is true for this request.
  expect(body.data.vaults.find(({ id }: { id: string }) => id === scene.vaultId).open).toBe(open);
  return open;
}

async function openWith(scene: Scene, unlockKey?: string): Promise<void> {
  expect(said(await ask(scene, 'POST', '/open', unlockKey, { body: { masterPassword } }))).toBe('200 success');
}

describe.each(engines)('a vault opened with a key of the client on %s', (engine) => {
  it('is closed to the token alone, and to another key', async () => {
    await using scene = await openScene(engine);
    await openWith(scene, key);
    expect(await isOpen(scene, key)).toBe(true);
    expect(await isOpen(scene)).toBe(false);
    expect(await isOpen(scene, another)).toBe(false);
    const id = (await ask(scene, 'POST', '/entries', key, { body: { type: 'login', title: 'A login' } })).body.data
      .entry.id;
    for (const [method, path, body] of [
      ['GET', `/entries/${id}`, undefined],
      ['PUT', `/entries/${id}`, { title: 'Another' }],
      ['DELETE', `/entries/${id}`, undefined],
      ['POST', '/search', {}],
      ['GET', '/export', undefined],
    ] as const) {
      const asking = body === undefined ? {} : { body };
      expect(said(await ask(scene, method, path, undefined, asking)), path).toBe('401 VAULT_LOCKED');
      expect(said(await ask(scene, method, path, another, asking)), path).toBe('401 VAULT_LOCKED');
      expect(said(await ask(scene, method, path, key, asking)), path).toBe('200 success');
    }
    await ask(scene, 'POST', '/lock', undefined, { body: {} });
    expect(await isOpen(scene, key)).toBe(false);
  });

  it('is so from its making on', async () => {
    await using scene = await openScene(engine);
    const made = await scene.call('POST', '/vaults', { name: 'New', masterPassword }, undefined, withKey(key));
    expect(made.body.data.vault.open).toBe(true);
    const path = `/vaults/${made.body.data.vault.id}/entries`;
    expect(said(await scene.call('GET', path))).toBe('401 VAULT_LOCKED');
    expect(said(await scene.call('GET', path, undefined, undefined, withKey(key)))).toBe('200 success');
  });

  it('is opened anew with another key, or with none', async () => {
    await using scene = await openScene(engine);
    expect(await isOpen(scene)).toBe(true);
    // A key that nothing was sealed under takes nothing away.
    expect(await isOpen(scene, key)).toBe(true);
    await openWith(scene, key);
    await openWith(scene, another);
    expect(await isOpen(scene, key)).toBe(false);
    expect(await isOpen(scene, another)).toBe(true);
    await openWith(scene);
    expect(await isOpen(scene)).toBe(true);
  });

  it('stays open for a refreshed token that brings the key, without the refresh having it', async () => {
    await using scene = await openScene(engine);
    await openWith(scene, key);
    const { token } = (await scene.house.api('GET', '/api/user/refresh-token', { token: scene.owner.token })).body;
    expect(await isOpen(scene, key, token)).toBe(true);
    expect(await isOpen(scene, undefined, token)).toBe(false);
    expect(await isOpen(scene, key)).toBe(true);
  });

  it('is for one session, whatever key another brings', async () => {
    await using scene = await openScene(engine);
    await openWith(scene, key);
    const other = await scene.house.signIn(scene.owner);
    expect(await isOpen(scene, key, other)).toBe(false);
    await scene.in('POST', '/open', { masterPassword }, other);
    expect(await isOpen(scene, undefined, other)).toBe(true);
    expect(await isOpen(scene, undefined)).toBe(false);
  });

  it('stays under it when its password changes, when it is shared no more, and after recovery', async () => {
    await using scene = await openScene(engine);
    const friend = await scene.house.register();
    await openWith(scene, key);
    const steps: readonly (readonly [path: string, body: object])[] = [
      ['/share', { recipientMemberIds: [friend.memberId] }],
      ['/revoke-share', { memberId: friend.memberId }],
      ['/emergency-access', { threshold: 1, trustees: [friend.memberId] }],
      ['/change-master-password', { masterPassword, newMasterPassword: 'the next master password' }],
    ];
    for (const [path, body] of steps) {
      expect(said(await ask(scene, 'POST', path, key, { body })), path).toBe('200 success');
      expect(await isOpen(scene), path).toBe(false);
      expect(await isOpen(scene, key), path).toBe(true);
    }
    const { share } = await scene.in('GET', '/emergency-share', undefined, friend.token);
    const shares = [{ trusteeId: friend.memberId, encryptedShare: share.recoveryShare }];
    const asking = { body: { shares }, token: friend.token };
    expect(said(await ask(scene, 'POST', '/emergency-recover', another, asking))).toBe('200 success');
    expect(await isOpen(scene, undefined, friend.token)).toBe(false);
    expect(await isOpen(scene, another, friend.token)).toBe(true);
  });

  it('takes no key of another form, and repeats none', async () => {
    await using scene = await openScene(engine);
    for (const wrong of ['short', `${key}=`, `${key}A`, key.replace('A', '+')]) {
      const answer = await ask(scene, 'GET', '/entries', wrong);
      expect(said(answer)).toBe('400 VALIDATION_ERROR');
      expect(JSON.stringify(answer.body)).not.toContain(wrong);
    }
  });

  it('leaves the key nowhere', async () => {
    await using scene = await openScene(engine);
    await openWith(scene, key);
    const [row] = await scene.house.ctx.db.selectFrom('session_secrets').selectAll().execute();
    expect(Buffer.from(row!.sealed).includes(Buffer.from(key, 'base64url'))).toBe(false);
    expect(JSON.stringify(scene.house.log.lines)).not.toContain(key);
  });
});
