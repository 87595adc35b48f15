import { describe, expect, it } from 'vitest';
import { distinctFilenames } from '../../../src/services/passvault/vaults/names.ts';
import { masterPassword, openScene, said, shareWith, type Scene } from './scene.ts';
import { engines } from '../../support/stores.ts';

const composed = 'Caf\u00e9';
const decomposed = 'CAFE\u0301';

const make = async (scene: Scene, name: string, token = scene.owner.token) =>
  await scene.call('POST', '/vaults', { name, masterPassword }, token);
const rename = async (scene: Scene, name: string) =>
  said(await scene.call('PUT', `/vaults/${scene.vaultId}`, { name }));

describe.each(engines)('the name of a vault on %s', (engine) => {
  it('is one among those of its owner, however it is written', async () => {
    await using scene = await openScene(engine);
    expect(said(await make(scene, composed))).toBe('200 success');
    for (const name of [composed, decomposed, ` ${composed} `, 'home', 'HOME'])
      expect(`${name}: ${said(await make(scene, name))}`).toBe(`${name}: 409 VAULT_NAME_TAKEN`);
    expect(await rename(scene, decomposed)).toBe('409 VAULT_NAME_TAKEN');
    // Its own in another case, and one that became free.
    expect(await rename(scene, 'HOME')).toBe('200 success');
    expect(await rename(scene, 'Work')).toBe('200 success');
    expect(said(await make(scene, 'home'))).toBe('200 success');
    // Somebody else's is another one.
    const friend = await scene.house.register();
    expect(said(await make(scene, 'Work', friend.token))).toBe('200 success');
    const { vaults } = (await scene.call('GET', '/vaults')).body.data;
    expect(vaults.map(({ name }: { name: string }) => name).toSorted()).toEqual([composed, 'Work', 'home']);
  });

  it('is free again after the vault, and is no path', async () => {
    await using scene = await openScene(engine);
    for (const name of ['a/b', '/', ' ', '']) expect(said(await make(scene, name))).toBe('400 VALIDATION_ERROR');
    expect(await rename(scene, 'a/b')).toBe('400 VALIDATION_ERROR');
    await scene.in('DELETE', '', { masterPassword });
    expect(said(await make(scene, 'Home'))).toBe('200 success');
    const made = await make(scene, decomposed);
    expect(made.body.data.vault.name).toBe(decomposed.normalize('NFC'));
  });

  it('is taken once by several that come at once', async () => {
    await using scene = await openScene(engine);
    const answers = await Promise.all(Array.from({ length: 5 }, () => make(scene, 'Race')));
    expect(answers.map(said).toSorted()).toEqual([
      '200 success',
      ...Array.from({ length: 4 }, () => '409 VAULT_NAME_TAKEN'),
    ]);
  });

  it('counts in a store of before names had to be different, too', { tags: 'soak' }, async () => {
    await using scene = await openScene(engine);
    const second = (await make(scene, 'Second')).body.data.vault.id as string;
    const { store } = scene.house.ctx;
    // As it was: two of one name, and neither has a key.
    await store.transaction(async (db) => {
      await db.updateTable('passvault_vaults').set({ name_key: null }).execute();
    });
    expect(said(await make(scene, 'HOME'))).toBe('409 VAULT_NAME_TAKEN');
    expect(said(await scene.call('PUT', `/vaults/${second}`, { name: 'home' }))).toBe('409 VAULT_NAME_TAKEN');
    expect(said(await make(scene, 'second'))).toBe('409 VAULT_NAME_TAKEN');
    expect(said(await make(scene, 'Third'))).toBe('200 success');
    const keys = await store.db.selectFrom('passvault_vaults').select('name_key').execute();
    expect(keys.filter((row) => row.name_key === null)).toEqual([]);
  });

  it('comes with whose it is', async () => {
    await using scene = await openScene(engine);
    const friend = await scene.house.register({ username: 'frida' });
    await shareWith(scene, friend);
    const theirs = (await scene.call('GET', '/vaults', undefined, friend.token)).body.data.vaults[0];
    expect(theirs).toMatchObject({ name: 'Home', role: 'recipient', ownerUsername: 'member-1' });
    expect((await scene.call('GET', '/vaults')).body.data.vaults[0]).toMatchObject({ ownerUsername: 'member-1' });
  });
});

describe.each(engines)('the name of an attachment on %s', (engine) => {
  it('is one among those of its entry', async () => {
    await using scene = await openScene(engine);
    const [one, other] = [await scene.login(), await scene.login()];
    const attach = async (entryId: string, filename: string) =>
      said(
        await scene.call('POST', `/vaults/${scene.vaultId}/entries/${entryId}/attachments`, {
          filename,
          content: 'YQ==',
        }),
      );
    expect(await attach(one, composed)).toBe('200 success');
    expect(await attach(one, decomposed)).toBe('409 ATTACHMENT_EXISTS');
    expect(await attach(other, decomposed)).toBe('200 success');
    expect(await attach(one, 'a/b')).toBe('400 VALIDATION_ERROR');
    const answers = await Promise.all(Array.from({ length: 5 }, (_, at) => attach(one, at % 2 === 0 ? 'key' : 'KEY')));
    expect(answers.toSorted()).toEqual(['200 success', ...Array.from({ length: 4 }, () => '409 ATTACHMENT_EXISTS')]);
    expect((await scene.house.ctx.blocks.stat()).blocks).toBe(3);
  });

  it('is made different by an import', async () => {
    await using scene = await openScene(engine);
    const file = (name: string) => `<Binary><Key>${name}</Key><Value Ref="0"/></Binary>`;
    const xml = `<KeePassFile><Meta><Binaries><Binary ID="0" Compressed="False">YQ==</Binary></Binaries></Meta><Root><Group><Name>x</Name><Entry><String><Key>Title</Key><Value>t</Value></String>${file('key.pem')}${file('Key.pem')}${file('a/b')}</Entry></Group></Root></KeePassFile>`;
    await scene.in('POST', '/import', { format: 'managerD_xml', fileContent: Buffer.from(xml).toString('base64') });
    const { entries } = await scene.in('GET', '/entries');
    const { entry } = await scene.in('GET', `/entries/${entries[0].id}`);
    expect(entry.attachments.map(({ filename }: { filename: string }) => filename).toSorted()).toEqual([
      'Key (2).pem',
      'b',
      'key.pem',
    ]);
  });
});

it('files get different names, whatever they are called', () => {
  expect(distinctFilenames(['a', 'A', 'a (2)', '.env', '.env', 'a/b', 'a_b', decomposed])).toEqual([
    'a',
    'A (2)',
    'a (2) (2)',
    '.env',
    '.env (2)',
    'a_b',
    'a_b (2)',
    decomposed.normalize('NFC'),
  ]);
});
