import { describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import { openScene, said, shareWith, type Scene } from './scene.ts';

/** Two entries, of which the first was changed once, and what the store had of it before. */
async function twoEntries(scene: Scene) {
  const { db } = scene.house.ctx;
  const [one, two] = [
    await scene.login({ title: 'One', password: 'one' }),
    await scene.login({ title: 'Two', password: 'two' }),
  ];
  const before = await db.selectFrom('passvault_entries').selectAll().where('id', '=', one).executeTakeFirstOrThrow();
  const page = await db.selectFrom('passvault_pages').selectAll().executeTakeFirstOrThrow();
  await scene.in('PUT', `/entries/${one}`, { password: 'three' });
  const other = await db.selectFrom('passvault_entries').selectAll().where('id', '=', two).executeTakeFirstOrThrow();
  return { one, two, before, page, other };
}

const read = async (scene: Scene, path: string) => said(await scene.call('GET', `/vaults/${scene.vaultId}${path}`));

describe.each(engines)('a ciphertext on %s', (engine) => {
  it('opens as no other entry, no other version, no other class and in no other vault', async () => {
    await using scene = await openScene(engine);
    const { one, two, before, other } = await twoEntries(scene);
    const { store } = scene.house.ctx;
    const { sealed: right } = await store.db
      .selectFrom('passvault_entries')
      .select('sealed')
      .where('id', '=', one)
      .executeTakeFirstOrThrow();
    const put = async (sealed: Uint8Array) =>
      void (await store.db.updateTable('passvault_entries').set({ sealed }).where('id', '=', one).execute());
    const page = await store.db.selectFrom('passvault_pages').select('sealed').executeTakeFirstOrThrow();
    for (const [what, sealed] of [
      ['of another entry', other.sealed],
      ['of the version before', before.sealed],
      ['of another class', page.sealed],
      ['with a bit changed', right.map((byte, at) => (at === 40 ? byte ^ 1 : byte))],
      ['cut off', right.subarray(0, 20)],
    ] as const) {
      await put(sealed);
      expect(await read(scene, `/entries/${one}`), what).toBe('500 INTERNAL_ERROR');
    }
    await put(right);
    expect(await read(scene, `/entries/${one}`)).toBe('200 success');

    const made = await scene.call('POST', '/vaults', { name: 'Other', masterPassword: 'another master password' });
    const elsewhere = made.body.data.vault.id as string;
    await store.db.updateTable('passvault_entries').set({ vault_id: elsewhere }).where('id', '=', two).execute();
    expect(said(await scene.call('GET', `/vaults/${elsewhere}/entries/${two}`))).toBe('500 INTERNAL_ERROR');
  });

  it('of property records opens as no other version and in no other vault', async () => {
    await using scene = await openScene(engine);
    const { page } = await twoEntries(scene);
    const { store } = scene.house.ctx;
    await store.db.updateTable('passvault_pages').set({ sealed: page.sealed }).execute();
    expect(await read(scene, '/entries')).toBe('500 INTERNAL_ERROR');
    await store.db.updateTable('passvault_pages').set({ sealed: page.sealed, version: page.version }).execute();
    expect(await read(scene, '/entries')).toBe('200 success');
    await store.db.updateTable('passvault_pages').set({ page: 2 }).execute();
    expect(await read(scene, '/entries')).toBe('500 INTERNAL_ERROR');
  });

  it('of an attachment opens as no other one, and with no other entry', async () => {
    await using scene = await openScene(engine);
    const [one, two] = [await scene.login({ title: 'One' }), await scene.login({ title: 'Two' })];
    const attach = async (entryId: string, text: string): Promise<string> => {
      const content = Buffer.from(text).toString('base64');
      return (await scene.in('POST', `/entries/${entryId}/attachments`, { filename: text, content })).attachment.id;
    };
    const [first, second, third] = [
      await attach(one, 'first'),
      await attach(one, 'second'),
      await attach(two, 'third'),
    ];
    const { store } = scene.house.ctx;
    const rowOf = async (id: string) =>
      await store.db.selectFrom('passvault_attachments').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const [right, sibling, stranger] = [await rowOf(first), await rowOf(second), await rowOf(third)];
    const put = async (values: Partial<typeof right>) =>
      void (await store.db.updateTable('passvault_attachments').set(values).where('id', '=', first).execute());
    const content = `/entries/${one}/attachments/${first}`;
    for (const other of [sibling, stranger]) {
      await put({ sealed: other.sealed });
      expect(await read(scene, `/entries/${one}`)).toBe('500 INTERNAL_ERROR');
      await put({ sealed: right.sealed, block_id: other.block_id });
      expect(await read(scene, content)).toBe('500 INTERNAL_ERROR');
      await put({ block_id: right.block_id });
    }
    expect(await read(scene, content)).toBe('200 success');
    // The whole row, at another entry of the same vault.
    await put({ entry_id: two });
    expect(await read(scene, `/entries/${two}`)).toBe('500 INTERNAL_ERROR');
    expect(await read(scene, `/entries/${two}/attachments/${first}`)).toBe('500 INTERNAL_ERROR');
    await put({ entry_id: one });
    expect(await read(scene, content)).toBe('200 success');
  });

  it('of a key opens with no other parameters, name or vault', async () => {
    await using scene = await openScene(engine);
    const { store } = scene.house.ctx;
    const made = await scene.call('POST', '/vaults', { name: 'Other', masterPassword: 'another master password' });
    const other = made.body.data.vault.id as string;
    const row = await store.db
      .selectFrom('passvault_vaults')
      .selectAll()
      .where('id', '=', other)
      .executeTakeFirstOrThrow();
    const { wrapped_seed, wrapped_key, password_hash, argon2_salt, name } = row;
    const mine = store.db.updateTable('passvault_vaults').where('id', '=', scene.vaultId);
    await mine.set({ password_hash, argon2_salt, wrapped_key }).execute();
    const open = async () =>
      said(await scene.call('POST', `/vaults/${scene.vaultId}/open`, { masterPassword: 'another master password' }));
    expect(await open()).toBe('500 INTERNAL_ERROR');
    await mine.set({ wrapped_seed }).execute();
    expect(await open()).toBe('500 INTERNAL_ERROR');
    await mine.set({ name }).execute();
    expect(said(await scene.call('GET', '/vaults'))).toBe('500 INTERNAL_ERROR');
  });

  it('of an open vault opens it no more once it has another key, also when it is put back', async () => {
    await using scene = await openScene(engine);
    const { store } = scene.house.ctx;
    const [friend, leaving] = [await scene.house.register(), await scene.house.register()];
    await shareWith(scene, friend);
    const entryId = await scene.login({ title: 'Before' });
    await scene.in('POST', '/share', { recipientMemberIds: [leaving.memberId] });
    const openings = await store.db.selectFrom('session_secrets').selectAll().execute();
    await scene.in('POST', '/revoke-share', { memberId: leaving.memberId });
    const rows = async () => [
      await store.db.selectFrom('passvault_entries').selectAll().orderBy('id').execute(),
      await store.db.selectFrom('passvault_pages').selectAll().orderBy('page').execute(),
    ];
    const before = await rows();
    await store.db.deleteFrom('session_secrets').execute();
    await store.db.insertInto('session_secrets').values(openings).execute();
    // Under the former key nothing is read, and above all nothing is written.
    for (const [method, path, body] of [
      ['GET', `/entries/${entryId}`, undefined],
      ['GET', '/entries', undefined],
      ['POST', '/entries', { type: 'login', title: 'Since' }],
      ['PUT', `/entries/${entryId}`, { password: 'next' }],
      ['POST', `/entries/${entryId}/attachments`, { filename: 'a', content: 'YQ==' }],
    ] as const) {
      for (const { token } of [scene.owner, friend]) {
        const answer = await scene.call(method, `/vaults/${scene.vaultId}${path}`, body, token);
        expect(`${method} ${path}: ${said(answer)}`).toBe(`${method} ${path}: 401 VAULT_LOCKED`);
      }
    }
    expect(await rows()).toEqual(before);
    await scene.in('POST', '/open', { masterPassword: friend.password }, friend.token);
    expect((await scene.in('GET', `/entries/${entryId}`, undefined, friend.token)).entry.title).toBe('Before');
  });
});
