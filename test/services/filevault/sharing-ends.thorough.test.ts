import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openErasure, erasureKeysPath } from '../../../src/platform/store/erasure.ts';
import { inventoryRoot } from '../../../src/services/filevault/destruction/inventory.ts';
import { openSharedKey } from '../../../src/services/filevault/sharing/keys.ts';
import { inStage } from '../../support/stage.ts';
import { engines } from '../../support/stores.ts';
import { openScene, said, type Scene } from './scene.ts';
import { fetchContent, makeLink, visit } from './sharing-scene.ts';

const MEBIBYTE = 1024 ** 2;
const mode = 'ephemeral_key_pair';

/** What each way to a link says. */
async function saidOf(scene: Scene, token: string, headers: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const ways = [token, `${token}?content=false`, `${token}/content`];
  return await Promise.all(ways.map(async (path) => said(await visit(scene, path, { headers }))));
}

const thrice = (text: string): string[] => [text, text, text];

describe.each(engines)('the end of links on %s', (engine) => {
  it('check 13: a link opens its version of its file, and nothing else', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('the first', { name: 'one.txt' });
    const other = await scene.file('a neighbour', { name: 'two.txt' });
    const { token, id: linkId, versionId } = await makeLink(scene, id);
    await scene.file('the second', { name: 'one.txt', replaces: id });
    expect((await fetchContent(scene, token)).bytes.toString()).toBe('the first');
    const { body } = await visit(scene, token);
    expect(body.fileId).toBe(id);
    for (const path of [`${token}/../${other}`, `${token}/content/${other}`, linkId, `${linkId}/content`, id])
      expect((await visit(scene, path)).status, path).toBe(404);
    // The query of a link chooses nothing.
    for (const query of [`fileId=${other}`, `versionId=${versionId}`, `contentId=${other}`])
      expect(
        Buffer.from((await visit(scene, `${token}?${query}`)).body.encryptedContent, 'base64').toString(),
        query,
      ).toBe('the first');
    for (const path of [`/files/${id}`, `/files/${id}/metadata`, `/files/${id}/versions`, `/share/${id}/shares`])
      expect(said(await scene.house.api('GET', `/filevault${path}`, { token })), path).toBe('401 UNAUTHORIZED');
    const grant = (await fetchContent(scene, token)).headers.get('x-share-grant')!;
    const neighbour = await makeLink(scene, other, { maxAccessCount: 1, password: 'other' });
    expect((await fetchContent(scene, neighbour.token, { 'x-share-grant': grant })).status).toBe(401);
  });

  it('check 14: a revoked link is gone at once, for grants and for bodies on their way', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file(randomBytes(9 * MEBIBYTE));
    for (const one of ['server_proxied', mode] as const) {
      const link = await makeLink(scene, id, { mode: one, password: 'pass' });
      const url = `http://house.test/filevault/share/link/${link.token}/content`;
      const answer = await scene.house.fetch(new Request(url, { headers: { 'x-share-password': 'pass' } }));
      const grant = { 'x-share-grant': answer.headers.get('x-share-grant')! };
      const reader = answer.body!.getReader();
      let read = (await reader.read()).value!.length;
      expect((await scene.call('DELETE', `/share/link/${one === mode ? link.token : link.id}`)).status).toBe(204);
      const rest = async (): Promise<void> => {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return;
          read += value.length;
        }
      };
      await expect(rest(), one).rejects.toThrow('The link was revoked');
      expect(read).toBeLessThan(3 * MEBIBYTE);
      expect(await saidOf(scene, link.token), one).toEqual(thrice('410 LINK_REVOKED'));
      expect(await saidOf(scene, link.token, grant), one).toEqual(thrice('410 LINK_REVOKED'));
      expect((await scene.call('DELETE', `/share/link/${link.id}`)).status).toBe(204);
    }
    const { db } = scene.house.ctx;
    const rows = await db.selectFrom('file_share_keys').select('sealed').execute();
    expect(rows).toEqual([{ sealed: null }]);
    expect(await db.selectFrom('file_links').select('verifier').execute()).toEqual([
      { verifier: null },
      { verifier: null },
    ]);
    const audit = await scene.get('GET', `/share/${id}/audit`);
    expect(audit.filter((record: { action: string }) => record.action === 'share_link_revoked')).toHaveLength(2);
  });

  it('check 14: a link counts only while its maker may share the file, and no link is hidden', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('some bytes');
    const maker = await scene.house.register();
    const entry = { principalId: maker.memberId, flags: ['read', 'share', 'download'] };
    await scene.grant('file', id, entry);
    const { token, id: linkId } = await makeLink(scene, id, {}, maker.token);
    expect(await saidOf(scene, token)).toEqual(thrice('200 success'));
    const put = async (entries: object[]) => await scene.get('PUT', `/acl/file/${id}`, { entries });
    for (const flags of [['read'], ['read', 'share'], ['read', 'download'], []]) {
      await put([{ ...entry, flags }]);
      expect(await saidOf(scene, token), flags.join()).toEqual(thrice('410 LINK_REVOKED'));
      const { links } = await scene.get('GET', `/share/${id}/shares`);
      expect(links).toMatchObject([{ id: linkId, createdBy: maker.memberId, active: false }]);
    }
    await put([entry]);
    expect(await saidOf(scene, token)).toEqual(thrice('200 success'));
    const suspend = async (status: 'active' | 'suspended') =>
      await scene.house.ctx.db.updateTable('members').set({ status }).where('id', '=', maker.memberId).execute();
    await suspend('suspended');
    expect(await saidOf(scene, token)).toEqual(thrice('410 LINK_REVOKED'));
    await suspend('active');
    expect((await visit(scene, token)).status).toBe(200);
    // A right that is taken away ends what is on its way as well.
    const large = await scene.file(randomBytes(9 * MEBIBYTE));
    await scene.grant('file', large, entry);
    const link = await makeLink(scene, large, {}, maker.token);
    const url = `http://house.test/filevault/share/link/${link.token}/content`;
    const answer = await scene.house.fetch(new Request(url));
    const reader = answer.body!.getReader();
    await reader.read();
    await scene.get('PUT', `/acl/file/${large}`, { entries: [] });
    await expect(
      (async () => {
        while (!(await reader.read()).done);
      })(),
    ).rejects.toThrow('The link was revoked');
  });

  it('check 17: a link lets nobody change or delete anything', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('some bytes');
    const { token, id: linkId } = await makeLink(scene, id);
    const stranger = await scene.house.register();
    const reader = await scene.house.register();
    await scene.grant('file', id, { principalId: reader.memberId, level: 'editor' });
    for (const path of [token, linkId])
      for (const [who, expected] of [
        [undefined, '401 UNAUTHORIZED'],
        [stranger.token, '404 LINK_NOT_FOUND'],
        [reader.token, '403 FORBIDDEN'],
      ] as const)
        expect(said(await scene.house.api('DELETE', `/filevault/share/link/${path}`, { token: who }))).toBe(expected);
    for (const method of ['PATCH', 'PUT', 'POST', 'DELETE'] as const)
      for (const path of [`${token}/content`, ...(method === 'DELETE' ? [] : [token])])
        expect((await scene.house.api(method, `/filevault/share/link/${path}`)).status, method).toBe(405);
    for (const path of [`/share/${id}/audit`, `/share/${id}/shares`, `/share/${id}/magnet`])
      expect(said(await scene.call('GET', path, undefined, { token: stranger.token }))).toBe('404 FILE_NOT_FOUND');
    expect(said(await scene.call('DELETE', `/share/link/${randomBytes(32).toString('base64url')}`))).toBe(
      '404 LINK_NOT_FOUND',
    );
    expect((await fetchContent(scene, token)).bytes.toString()).toBe('some bytes');
    // Others with admin on the file may.
    await scene.grant('file', id, { principalId: stranger.memberId, flags: ['read', 'admin'] });
    const done = await scene.call('DELETE', `/share/link/${linkId}`, undefined, { token: stranger.token });
    expect(done.status).toBe(204);
    expect(await saidOf(scene, token)).toEqual(thrice('410 LINK_REVOKED'));
  });

  it('hides a file in the trash, says that a destroyed one is gone, and works in a locked container', async () => {
    await using scene = await openScene(engine);
    const folder = await scene.folder('Folder');
    const id = await scene.file('some bytes', { folder });
    const open = await makeLink(scene, id);
    const closed = await makeLink(scene, id, { password: 'pass', mode });
    await scene.get('POST', `/vaults/${scene.containerId}/lock`);
    expect(await saidOf(scene, open.token)).toEqual(thrice('200 success'));
    expect(said(await scene.call('POST', '/share/link', { fileId: id, mode }))).toBe('403 CONTAINER_LOCKED');
    expect((await scene.get('GET', `/share/${id}/shares`)).links).toHaveLength(2);
    await scene.get('POST', `/vaults/${scene.containerId}/unlock`);
    await scene.get('DELETE', `/folders/${folder}`);
    expect(await saidOf(scene, open.token)).toEqual(thrice('404 LINK_NOT_FOUND'));
    await scene.get('POST', `/folders/${folder}/restore`, {});
    expect(await saidOf(scene, open.token)).toEqual(thrice('200 success'));
    const grant = { 'x-share-grant': (await fetchContent(scene, open.token)).headers.get('x-share-grant')! };
    await scene.get('POST', `/destroy/${id}`, {});
    expect(await saidOf(scene, open.token)).toEqual(thrice('410 FILE_DESTROYED'));
    expect(await saidOf(scene, open.token, grant)).toEqual(thrice('410 FILE_DESTROYED'));
    // Who doesn't have the password doesn't learn what became of the file.
    expect(await saidOf(scene, closed.token)).toEqual(thrice('410 LINK_REVOKED'));
    expect(await scene.house.ctx.db.selectFrom('file_share_keys').selectAll().execute()).toEqual([]);
  });

  it('looks again in the transaction that counts: what was revoked meanwhile is not opened', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('some bytes');
    for (const way of ['', '/content']) {
      const { token, id: linkId } = await makeLink(scene, id, { maxAccessCount: 1 });
      const happened = scene.house.meanwhile(async () => await scene.call('DELETE', `/share/link/${linkId}`));
      expect(said(await visit(scene, `${token}${way}`))).toBe('410 LINK_REVOKED');
      expect(happened()).toBe(true);
    }
    const rows = await scene.house.ctx.db.selectFrom('file_links').select('access_count').execute();
    expect(rows.map(({ access_count }) => access_count)).toEqual([0, 0]);
    const audit = await scene.get('GET', `/share/${id}/audit`);
    expect(audit.map(({ action }: { action: string }) => action)).toEqual(['share_link_revoked', 'share_link_revoked']);
  });

  it('ends a body on its way when the file is destroyed', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file(randomBytes(9 * MEBIBYTE));
    const { token } = await makeLink(scene, id, { mode });
    const answer = await scene.house.fetch(new Request(`http://house.test/filevault/share/link/${token}/content`));
    const reader = answer.body!.getReader();
    await reader.read();
    await scene.get('POST', `/destroy/${id}`, {});
    await expect(
      (async () => {
        while (!(await reader.read()).done);
      })(),
    ).rejects.toThrow(/destroyed|damaged/);
  });

  it('keeps a key from whoever changes a byte of it, or puts it in the place of another', async () => {
    await using scene = await openScene(engine);
    const { db } = scene.house.ctx;
    const id = await scene.file('some bytes');
    const [one, two] = [await makeLink(scene, id, { mode }), await makeLink(scene, id, { mode })];
    const rows = await db.selectFrom('file_share_keys').selectAll().execute();
    const [row, other] = [one, two].map((link) => rows.find(({ share_id }) => share_id === link.id)!);
    const set = async (values: object) =>
      await db.updateTable('file_share_keys').set(values).where('share_id', '=', one.id).execute();
    const sealed = row!.sealed!;
    const step = inStage(9, 5, 1);
    for (let at = 0; at < sealed.length; at += step) {
      await set({ sealed: Uint8Array.from(sealed, (byte, index) => (index === at ? byte ^ 1 : byte)) });
      expect(said(await visit(scene, `${one.token}?content=false`)), `byte ${at}`).toBe('500 FILE_DAMAGED');
    }
    await set({ sealed: other!.sealed, hash: other!.hash });
    expect(said(await visit(scene, one.token))).toBe('500 FILE_DAMAGED');
    await set({ sealed, hash: row!.hash });
    expect((await visit(scene, one.token)).status).toBe(200);
    const audit = await db.selectFrom('file_audit').select('id').where('action', '=', 'FILE_DAMAGED').execute();
    expect(audit.length).toBe(Math.ceil(sealed.length / step) + 1);
    expect(JSON.stringify([...scene.house.log.lines])).not.toContain(one.token);
  });

  it('brings back no key with a backup, and the inventory of a destruction has every key that was given', async () => {
    await using scene = await openScene(engine);
    const { ctx, register } = scene.house;
    const id = await scene.file('some bytes');
    const bob = await register();
    const { shareId } = await scene.get('POST', '/share/internal', { fileId: id, recipientId: bob.memberId });
    const revoked = await makeLink(scene, id, { mode });
    const kept = await makeLink(scene, id, { mode });
    await scene.call('DELETE', `/share/link/${revoked.id}`);
    await scene.file('another version', { replaces: id });
    const given = await ctx.db.selectFrom('file_share_keys').selectAll().orderBy('share_id').execute();
    expect(given.map(({ share_id }) => share_id).toSorted()).toEqual(
      [shareId, shareId, revoked.id, kept.id].toSorted(),
    );
    const contents = await ctx.db.selectFrom('file_contents').selectAll().execute();
    const backup = await mkdtemp(join(tmpdir(), 'conclave-keys-'));
    try {
      await cp(erasureKeysPath(ctx.config), join(backup, 'erasure.keys'));
      await scene.get('POST', `/destroy/${id}`, {});
      const { inventory, root } = await ctx.db
        .selectFrom('file_destructions')
        .select(['inventory', 'root'])
        .executeTakeFirstOrThrow();
      const listed = JSON.parse(inventory);
      expect(
        listed.contents
          .flatMap(({ id: content, shared }: { id: string; shared: { id: string; wrap: string }[] }) =>
            shared.map(({ id: share, wrap }) => `${content} ${share} ${wrap}`),
          )
          .toSorted(),
      ).toEqual(given.map(({ content_id, share_id, hash }) => `${content_id} ${share_id} ${hash}`).toSorted());
      expect(inventoryRoot(id, listed)).toBe(root);
      for (const content of listed.contents) content.shared.pop();
      expect(inventoryRoot(id, listed)).not.toBe(root);
      // The rows of a backup of the database.
      for (const row of given.filter(({ sealed }) => sealed !== null)) {
        const content = contents.find((one) => one.id === row.content_id)!;
        await expect(openSharedKey(ctx, row, content)).rejects.toThrow('The file was destroyed');
        // With the file of erasure keys from before they would open: the test tests what it says.
        const { store, random } = ctx;
        await store.db.updateTable('file_erasure').set({ generation: 0 }).execute();
        const old = openErasure({ path: join(backup, 'erasure.keys'), store, random });
        expect((await openSharedKey({ erasure: old }, row, content)).length).toBe(100);
      }
    } finally {
      await rm(backup, { recursive: true });
    }
  });
});
