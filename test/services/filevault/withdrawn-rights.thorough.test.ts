import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import { openClientScene } from './client-scene.ts';
import { openScene, said, type Scene } from './scene.ts';
import { makeLink, visit } from './sharing-scene.ts';
import { inStage } from '../../support/stage.ts';

const MEBIBYTE = 1024 ** 2;

/** Begins to read a body, lets something happen, and reads on. @returns how many bytes came in all, and how it ended */
async function interrupted({ house }: Scene, path: string, token: string, meanwhile: () => Promise<unknown>) {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await house.fetch(new Request(`http://house.test/filevault${path}`, { headers }));
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
  const reader = answer.body!.getReader();
  let read = (await reader.read()).value!.length;
  await meanwhile();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { read, end: 'whole' };
      read += value.length;
    }
  } catch (error) {
    return { read, end: (error as Error).message };
  }
}

describe.each(engines)('a right that was taken away on %s', (engine) => {
  it('ends a download, a preview and a version that are on their way', { tags: 'thorough' }, async () => {
    await using scene = await openScene(engine);
    const { memberId, token } = await scene.house.register();
    const content = randomBytes(20 * MEBIBYTE);
    const id = await scene.file(content, { type: 'video/mp4' });
    const [version] = await scene.get('GET', `/files/${id}/versions`);
    const put = async (entries: object[]) => await scene.get('PUT', `/acl/file/${id}`, { entries });
    const paths = [`/files/${id}`, `/files/${id}/preview`, `/files/${id}/versions/${version.versionId}/download`];
    for (const path of paths.slice(0, inStage(1, 1, 3))) {
      await put([{ principalId: memberId, level: 'viewer' }]);
      const whole = await interrupted(scene, path, token, async () => undefined);
      expect(whole, path).toEqual({ read: content.length, end: 'whole' });
      const { read, end } = await interrupted(scene, path, token, async () => await put([]));
      expect(end, path).not.toBe('whole');
      expect(read, path).toBeLessThan(content.length);
    }
    // So does a suspension of the member.
    await put([{ principalId: memberId, level: 'viewer' }]);
    const suspended = await interrupted(scene, `/files/${id}`, token, async () => {
      const { db } = scene.house.ctx;
      await db.updateTable('members').set({ status: 'suspended' }).where('id', '=', memberId).execute();
    });
    expect(suspended.end).not.toBe('whole');
    // What is destroyed is no damage.
    const gone = await interrupted(scene, `/files/${id}`, scene.owner.token, async () => {
      await scene.get('POST', `/destroy/${id}`, {});
    });
    expect(gone.end).not.toBe('whole');
    const { entries } = await scene.get('GET', '/audit?action=FILE_DAMAGED');
    expect(entries).toEqual([]);
  });

  it('ends the download of a sealed file that is on its way', async () => {
    await using client = await openClientScene(engine);
    const { scene, owner, acl } = client;
    const reader = await client.guest({ level: 'viewer' });
    const id = await owner.store(randomBytes(20 * MEBIBYTE));
    const { end, read } = await interrupted(
      scene,
      `/files/${id}/sealed`,
      reader.member.token,
      async () => await acl([]),
    );
    expect(end).not.toBe('whole');
    expect(read).toBeLessThan(20 * MEBIBYTE);
  });

  it('is not told by a canary what happens to a file', async () => {
    await using scene = await openScene(engine);
    const [watcher, reader] = [await scene.house.register(), await scene.house.register()];
    const id = await scene.file('a file', { name: 'plan.txt' });
    const list = [reader, watcher].map(({ memberId }) => ({ principalId: memberId, level: 'viewer' }));
    await scene.get('PUT', `/acl/file/${id}`, { entries: list });
    const binding = {
      name: 'Watch',
      condition: 'PRESENCE',
      fileIds: [id],
      actions: [{ type: 'notify', members: [watcher.username], message: 'Opened.' }],
    };
    await scene.get('POST', '/canary/bindings', binding, { token: watcher.token });
    const firing = async () =>
      await scene.house.ctx.db.selectFrom('jobs').select('id').where('kind', '=', 'file-canary').execute();
    await scene.get('PUT', `/acl/file/${id}`, { entries: list.slice(0, 1) });
    await scene.read(id, { token: reader.token });
    expect(await firing()).toEqual([]);
    await scene.get('PUT', `/acl/file/${id}`, { entries: list });
    await scene.read(id, { token: reader.token });
    expect(await firing()).toHaveLength(1);
  });

  it('gets no reply that was kept for a repeat', async () => {
    await using client = await openClientScene(engine);
    const { scene, container, owner, acl } = client;
    await owner.store(Buffer.from('makes the key'));
    const admin = await client.guest({ level: 'owner' });
    const { token, memberId } = admin.member;
    const { newest } = await scene.get('GET', `/vaults/${container.id}/keys`, undefined, { token });
    const body = { newest, number: newest, wraps: [{ memberId, wrapped: `0101${'00'.repeat(98)}` }] };
    const send = async () =>
      said(
        await scene.call('POST', `/vaults/${container.id}/keys`, body, {
          token,
          headers: { 'idempotency-key': 'again' },
        }),
      );
    expect(await send()).toMatch(/^20/);
    expect(await send()).toMatch(/^20/);
    await acl([]);
    expect(await send()).toBe('404 CONTAINER_NOT_FOUND');
  });

  it('takes the notice along that a link to the file was opened', async () => {
    await using scene = await openScene(engine);
    const maker = await scene.house.register();
    const opened = async (token: string) =>
      (await scene.get('GET', '/notifications?limit=100', undefined, { token })).notifications.filter(
        ({ type }: { type: string }) => type === 'file_link_opened',
      ) as object[];
    const id = await scene.file('a file', { name: 'plan.txt' });
    await scene.get('PUT', `/acl/file/${id}`, { entries: [{ principalId: maker.memberId, level: 'owner' }] });
    const [own, other] = [await makeLink(scene, id), await makeLink(scene, id, {}, maker.token)];
    for (const { token } of [own, other]) expect((await visit(scene, token)).status).toBe(200);
    expect([await opened(scene.owner.token), await opened(maker.token)].flat()).toHaveLength(2);
    await scene.get('PUT', `/acl/file/${id}`, { entries: [] });
    expect(await opened(maker.token)).toEqual([]);
    await scene.get('POST', `/destroy/${id}`, {});
    expect(await opened(scene.owner.token)).toEqual([]);
  });

  it('leaves no key of what was being uploaded when a file or container is destroyed', async () => {
    await using scene = await openScene(engine);
    const { ctx } = scene.house;
    const slotOf = async (sessionId: string) =>
      (
        await ctx.db
          .selectFrom('file_uploads as u')
          .innerJoin('file_contents as c', 'c.id', 'u.content_id')
          .select('c.slot')
          .where('u.id', '=', sessionId)
          .executeTakeFirstOrThrow()
      ).slot;
    const sent = async (options: object) => {
      const { sessionId } = (await scene.begin(6, options)).body;
      expect((await scene.chunk(sessionId, 0, Buffer.from('secret'))).status).toBe(200);
      return await slotOf(sessionId);
    };
    const id = await scene.file('one version');
    const version = await sent({ replaces: id });
    const neighbour = await sent({});
    await scene.get('POST', `/destroy/${id}`, {});
    expect(await ctx.erasure.keyOf(version)).toBeUndefined();
    const left = await ctx.erasure.keyOf(neighbour);
    expect(left === undefined, 'an upload elsewhere keeps its key').toBe(false);
    await scene.get('POST', `/vaults/${scene.containerId}/destroy`, {});
    expect(await ctx.erasure.keyOf(neighbour)).toBeUndefined();
  });
});
