import { describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import { masterPassword, openScene, said, shareWith, type Scene } from './scene.ts';

const byName = async (scene: Scene, body: object, token?: string) =>
  await scene.call('POST', '/entries/by-name', body, token);

describe.each(engines)('an entry by its name on %s', (engine) => {
  it('is found by title, in any case, by host, and by the beginning of its id, and the read is recorded', async () => {
    await using scene = await openScene(engine);
    const id = await scene.login({ title: 'Café', siteUrl: 'https://www.bank.example/login' });
    await scene.login({ title: 'Café au lait' });
    for (const entry of ['Café', 'CAFÉ', 'Cafe\u0301', 'bank.example', id, id.slice(0, 31)]) {
      const { status, body, headers } = await byName(scene, { vault: 'home', entry });
      expect(status, entry).toBe(200);
      expect(body.data).toMatchObject({
        vault: { id: scene.vaultId, name: 'Home', role: 'owner' },
        entry: { id, title: 'Café', password: 'a password' },
      });
      expect(headers.get('etag')).toBe('"1"');
      expect(headers.get('cache-control')).toContain('no-store');
    }
    const { entries } = await scene.in('GET', '/audit-log?limit=100');
    expect(entries.filter((one: { action: string }) => one.action === 'ENTRY_READ')).toHaveLength(6);
    expect((await byName(scene, { vault: scene.vaultId, entry: 'Café' })).body.data.entry.id).toBe(id);
  });

  it('is looked for in all open vaults where none is named, and an exact title comes first', async () => {
    await using scene = await openScene(engine);
    await scene.login({ title: 'mail' });
    const made = await scene.call('POST', '/vaults', { name: 'Work', masterPassword });
    const work = made.body.data.vault.id as string;
    await scene.call('POST', `/vaults/${work}/entries`, { type: 'login', title: 'Mail' });
    const vaultOf = async (entry: string) => (await byName(scene, { entry })).body.data.vault.name;
    expect(await vaultOf('Mail')).toBe('Work');
    expect(await vaultOf('mail')).toBe('Home');
    const both = await byName(scene, { entry: 'MAIL' });
    expect(said(both)).toBe('409 NAME_AMBIGUOUS');
    // Vaults that were made in one millisecond come in any order.
    const listed = both.body.error.errors.map(({ message }: { message: string }) => message);
    expect(listed.toSorted()).toEqual(['Home/mail', 'Work/Mail']);
    await scene.call('POST', `/vaults/${work}/lock`);
    expect(await vaultOf('MAIL')).toBe('Home');
    expect(said(await byName(scene, { vault: 'Work', entry: 'Mail' }))).toBe('401 VAULT_LOCKED');
  });

  it('is never one of a vault that the caller lost, or that another member shares in place of an own one', async () => {
    await using scene = await openScene(engine);
    await scene.login({ title: 'Theirs' });
    const bob = await scene.house.register();
    const theirs = { vault: 'Home', entry: 'Theirs' };
    expect(said(await byName(scene, theirs, bob.token))).toBe('404 VAULT_NOT_FOUND');
    await shareWith(scene, bob);
    expect((await byName(scene, theirs, bob.token)).body.data.vault).toMatchObject({ role: 'recipient' });
    const title = `${scene.owner.username}:Home`;
    await scene.call('POST', '/vaults', { name: 'Home', masterPassword }, bob.token);
    expect(said(await byName(scene, theirs, bob.token))).toBe('404 ENTRY_NOT_FOUND');
    expect((await byName(scene, { ...theirs, vault: title }, bob.token)).status).toBe(200);
    await scene.in('POST', '/revoke-share', { memberId: bob.memberId });
    expect(said(await byName(scene, { ...theirs, vault: title }, bob.token))).toBe('404 VAULT_NOT_FOUND');
    expect(said(await byName(scene, { entry: 'Theirs' }, bob.token))).toBe('404 ENTRY_NOT_FOUND');
  });

  it('is refused where two vaults have the name', async () => {
    await using scene = await openScene(engine);
    const [bob, carol] = [await scene.house.register(), await scene.house.register()];
    await shareWith(scene, carol);
    const made = await scene.call('POST', '/vaults', { name: 'Home', masterPassword }, bob.token);
    await scene.call(
      'POST',
      `/vaults/${made.body.data.vault.id}/share`,
      { recipientMemberIds: [carol.memberId] },
      bob.token,
    );
    const answer = await byName(scene, { vault: 'Home', entry: 'x' }, carol.token);
    expect(said(answer)).toBe('409 NAME_AMBIGUOUS');
    expect(answer.body.error.errors.map(({ path }: { path: string }) => path).toSorted()).toEqual(
      [scene.vaultId, made.body.data.vault.id].toSorted(),
    );
  });
});
