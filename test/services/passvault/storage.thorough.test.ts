import { describe, expect, it } from 'vitest';
import { up as memberStorage } from '../../../src/platform/store/migrations/0012-member-storage.ts';
import { columnTypes } from '../../../src/platform/store/migrations/column-types.ts';
import { masterPassword, openScene, said, shareWith, type Scene } from './scene.ts';
import { engines } from '../../support/stores.ts';

const quota = 100;
const small = { config: { storage: { perMemberBytes: quota } } };
const content = (size: number) => Buffer.alloc(size, 'a').toString('base64');

const attach = async (scene: Scene, entryId: string, filename: string, size: number, token = scene.owner.token) =>
  await scene.call(
    'POST',
    `/vaults/${scene.vaultId}/entries/${entryId}/attachments`,
    { filename, content: content(size) },
    token,
  );

async function usedBy(scene: Scene, token = scene.owner.token): Promise<unknown> {
  const { body } = await scene.house.api('GET', '/api/user/profile', { token });
  const { storageUsed, storageQuota } = body.data.profile;
  expect(storageQuota).toBe(String(quota));
  return Number(storageUsed);
}

describe.each(engines)('what a member may keep on %s', (engine) => {
  it('is not exceeded by uploads that come at once', async () => {
    await using scene = await openScene(engine, small);
    const entryId = await scene.login();
    const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => attach(scene, entryId, `file-${at}`, 30)));
    expect(answers.map(said).toSorted()).toEqual([
      ...Array.from({ length: 3 }, () => '200 success'),
      ...Array.from({ length: 7 }, () => '413 STORAGE_QUOTA_EXCEEDED'),
    ]);
    expect(await usedBy(scene)).toBe(90);
    // What was refused leaves nothing behind.
    expect((await scene.house.ctx.blocks.stat()).blocks).toBe(3);
    expect(said(await attach(scene, entryId, 'exactly', 10))).toBe('200 success');
    expect(said(await attach(scene, entryId, 'one byte', 1))).toBe('413 STORAGE_QUOTA_EXCEEDED');
    expect(said(await attach(scene, entryId, 'nothing', 0))).toBe('200 success');
  });

  it('is given back with the attachment, the entry and the vault', async () => {
    await using scene = await openScene(engine, small);
    const [one, two] = [await scene.login(), await scene.login()];
    const first = await attach(scene, one, 'a', 40);
    await attach(scene, one, 'b', 30);
    await attach(scene, two, 'c', 20);
    expect(await usedBy(scene)).toBe(90);
    const { id } = first.body.data.attachment;
    const away = `/vaults/${scene.vaultId}/entries/${one}/attachments/${id}`;
    const removals = await Promise.all([scene.call('DELETE', away), scene.call('DELETE', away)]);
    expect(removals.map(said).toSorted()).toEqual(['200 success', '404 ATTACHMENT_NOT_FOUND']);
    expect(await usedBy(scene)).toBe(50);
    await scene.in('DELETE', `/entries/${one}`);
    expect(await usedBy(scene)).toBe(20);
    await scene.in('DELETE', '', { masterPassword });
    expect(await usedBy(scene)).toBe(0);
  });

  it('counts as the owner’s, whoever puts it there, and stays as it is under a new key', async () => {
    await using scene = await openScene(engine, small);
    const friend = await scene.house.register();
    await shareWith(scene, friend);
    const entryId = await scene.login();
    expect(said(await attach(scene, entryId, 'a', 60, friend.token))).toBe('200 success');
    expect(await usedBy(scene)).toBe(60);
    expect(await usedBy(scene, friend.token)).toBe(0);
    expect(said(await attach(scene, entryId, 'b', 60, friend.token))).toBe('413 STORAGE_QUOTA_EXCEEDED');
    await scene.in('POST', '/revoke-share', { memberId: friend.memberId });
    expect(await usedBy(scene)).toBe(60);
    const administrator = await scene.house.administrator();
    const status = await scene.house.api('GET', '/api/admin/status', { token: administrator.token });
    expect(status.body.storage).toEqual({
      perMemberBytes: quota,
      usedBytes: 60,
      counts: [
        'attachments of own password vaults',
        'contacts',
        'documents sealed for a quorum',
        'e-mail',
        'events of own calendars',
        'files in own containers',
        'messages in conversations',
        'pictures, videos and sounds of own posts',
      ],
    });
  });

  it('is all of an import or none of it', async () => {
    await using scene = await openScene(engine, small);
    const entryId = await scene.login();
    await attach(scene, entryId, 'a', 90);
    const { db } = scene.house.ctx;
    const rows = async () => (await db.selectFrom('passvault_entries').select('id').execute()).length;
    expect(await rows()).toBe(1);
    const keepass = `<KeePassFile><Meta><Binaries><Binary ID="0" Compressed="False">${content(20)}</Binary></Binaries></Meta><Root><Group><Name>x</Name><Entry><String><Key>Title</Key><Value>t</Value></String><String><Key>Password</Key><Value>p</Value></String><Binary><Key>f</Key><Value Ref="0"/></Binary></Entry></Group></Root></KeePassFile>`;
    const body = { format: 'managerD_xml', fileContent: Buffer.from(keepass).toString('base64') };
    expect(said(await scene.call('POST', `/vaults/${scene.vaultId}/import`, body))).toBe('413 STORAGE_QUOTA_EXCEEDED');
    expect(await rows()).toBe(1);
    expect((await scene.house.ctx.blocks.stat()).blocks).toBe(1);
    await scene.in('DELETE', `/entries/${entryId}`);
    expect(await scene.in('POST', '/import', body)).toMatchObject({ imported: 1, errors: [] });
    expect(await usedBy(scene)).toBe(20);
  });

  it('is counted anew for a store of before', async () => {
    await using scene = await openScene(engine, small);
    const entryId = await scene.login();
    await attach(scene, entryId, 'a', 30);
    await attach(scene, entryId, 'b', 40);
    await scene.house.ctx.store.exclusively(async (db) => {
      await db.schema.dropTable('member_storage').execute();
      await memberStorage(db, columnTypes[engine]);
    });
    expect(await usedBy(scene)).toBe(70);
  });
});
