import { randomBytes } from 'node:crypto';
import { link, lstat, readdir, rename, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bothEngines, engines } from '../../../support/stores.ts';
import { openScene, said, type Scene } from '../scene.ts';
import { fetchContent, makeLink } from '../sharing-scene.ts';
import { CHUNK_BYTES, smallChunkFile } from '../small-chunks.ts';
import { inStage } from '../../../support/stage.ts';

/** A download of which the first bytes are read. @returns reads the rest: what came, and whether it was cut off */
async function begunDownload({ house }: Scene, path: string, token: string) {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await house.fetch(new Request(`http://house.test/filevault${path}`, { headers }));
  expect(answer.status).toBe(200);
  const reader = answer.body!.getReader();
  const pieces = [(await reader.read()).value!];
  return async () => {
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return { bytes: Buffer.concat(pieces), whole: true };
        pieces.push(value);
      }
    } catch {
      return { bytes: Buffer.concat(pieces), whole: false };
    }
  };
}

const blockPath = (dataDir: string, id: string): string => join(dataDir, 'blocks', id.slice(0, 2), id.slice(2, 4), id);

describe.each(engines)('check 26, what changes while bytes are on their way on %s', (engine) => {
  const size = 12 * CHUNK_BYTES;
  const happenings: readonly (readonly [string, (scene: Scene, id: string, memberId: string) => Promise<unknown>])[] = [
    ['the right is taken away', async ({ get }, id) => await get('PUT', `/acl/file/${id}`, { entries: [] })],
    ['the container is locked', async ({ get, containerId }) => await get('POST', `/vaults/${containerId}/lock`)],
    [
      'the file is moved',
      async ({ get, folder }, id) =>
        await get('POST', `/folders/${id}/move`, { itemType: 'file', newParentId: await folder('elsewhere') }),
    ],
    ['the file is removed', async ({ get }, id) => await get('DELETE', `/files/${id}`)],
    ['the file gets a new version', async (scene, id) => await smallChunkFile(scene, size, id)],
    ['the file is destroyed', async ({ get }, id) => await get('POST', `/destroy/${id}`, {})],
    [
      'its folder has another file of this name, after it was destroyed',
      async (scene, id) => {
        const { name } = await scene.get('GET', `/files/${id}/metadata`);
        await scene.get('POST', `/destroy/${id}`, {});
        await scene.file(randomBytes(size), { name });
      },
    ],
    ['the container is destroyed', async ({ get, containerId }) => await get('POST', `/vaults/${containerId}/destroy`)],
  ];

  // Each way in which the bytes that are due may be gone, once.
  const sampled = happenings.filter((_, at) => inStage(false, false, true) || [0, 4, 6].includes(at));
  it.each(sampled)('never sends other bytes: %s', async (what, happen) => {
    await using scene = await openScene(engine);
    const member = await scene.house.register();
    const { id, bytes } = await smallChunkFile(scene, size);
    const entries = [{ principalId: member.memberId, level: 'viewer' }];
    await scene.get('PUT', `/acl/file/${id}`, { entries });
    const rest = await begunDownload(scene, `/files/${id}`, member.token);
    await happen(scene, id, member.memberId);
    const got = await rest();
    expect(bytes.subarray(0, got.bytes.length).equals(got.bytes)).toBe(true);
    expect(got.whole).toBe(got.bytes.length === size);
    // What was destroyed has no key any more.
    if (what.includes('destroyed')) expect(got.whole).toBe(false);
    const after = await scene.call('GET', `/files/${id}`, undefined, { token: member.token });
    const stays = ['the container is locked', 'the file is moved', 'the file gets a new version'].includes(what);
    expect(stays ? [200] : [404, 410]).toContain(after.status);
  });

  it('keeps nothing of a chunk that was being sent when the right was taken away', async () => {
    await using scene = await openScene(engine);
    const editor = await scene.house.register();
    await scene.grant('folder', scene.rootId, { principalId: editor.memberId, level: 'editor' });
    const { sessionId } = (await scene.begin(100_000, { token: editor.token })).body;
    for (const entries of [[], [{ principalId: editor.memberId, level: 'viewer' }]]) {
      scene.house.meanwhile(async () => void (await scene.get('PUT', `/acl/folder/${scene.rootId}`, { entries })));
      const answer = await scene.chunk(sessionId, 0, randomBytes(100_000), { token: editor.token });
      expect(said(answer)).toBe(entries.length === 0 ? '404 FOLDER_NOT_FOUND' : '403 FORBIDDEN');
      const { db, blocks } = scene.house.ctx;
      expect(await db.selectFrom('file_blocks').selectAll().execute()).toEqual([]);
      expect((await blocks.stat()).blocks).toBe(0);
      await scene.get('PUT', `/acl/folder/${scene.rootId}`, {
        entries: [{ principalId: editor.memberId, level: 'editor' }],
      });
    }
    await scene.chunk(sessionId, 0, randomBytes(100_000), { token: editor.token });
    scene.house.meanwhile(async () => void (await scene.get('POST', `/vaults/${scene.containerId}/lock`)));
    const finished = await scene.call('POST', `/upload/${sessionId}/finalize`, {}, { token: editor.token });
    expect(said(finished)).toBe('403 CONTAINER_LOCKED');
    expect((await scene.get('GET', '/folders/root')).files).toEqual([]);
  });
});

describe.each(bothEngines)('check 21, uploads on %s', (engine) => {
  it('finished twice at once are one file and two equal answers', async () => {
    await using scene = await openScene(engine);
    const { sessionId } = (await scene.begin(10)).body;
    await scene.chunk(sessionId, 0, Buffer.alloc(10));
    const answers = await Promise.all(
      Array.from({ length: 4 }, async () => await scene.call('POST', `/upload/${sessionId}/finalize`, {})),
    );
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([200, answers[0]!.body]);
    expect((await scene.get('GET', '/folders/root')).files).toHaveLength(1);
    expect(await scene.get('GET', `/files/${answers[0]!.body.fileId}/versions`)).toHaveLength(1);
    expect(said(await scene.chunk(sessionId, 0, Buffer.alloc(10)))).toBe('409 UPLOAD_FINALIZED');
    expect(said(await scene.call('DELETE', `/upload/${sessionId}`))).toBe('409 UPLOAD_FINALIZED');
  });

  it('take one chunk several times at once, keep one of them, and are not held up by a body that stands still', async () => {
    await using scene = await openScene(engine);
    const bytes = randomBytes(100_000);
    const { sessionId } = (await scene.begin(bytes.length)).body;
    let release = (): void => undefined;
    const stalled = new Promise<void>((resolve) => (release = resolve));
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        controller.enqueue(Uint8Array.from(bytes.subarray(0, 1_000)));
        await stalled;
        controller.error(new Error('gone'));
      },
    });
    const hanging = scene.house.fetch(
      new Request(`http://house.test/filevault/upload/${sessionId}/chunk/0`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${scene.owner.token}`, 'content-type': 'application/octet-stream' },
        body,
        duplex: 'half',
      }),
    );
    const answers = await Promise.all(Array.from({ length: 4 }, async () => await scene.chunk(sessionId, 0, bytes)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { fileId } = await scene.get('POST', `/upload/${sessionId}/finalize`, {});
    release();
    const late = await hanging.catch(() => undefined);
    expect(late?.status).not.toBe(200);
    expect((await scene.read(fileId)).bytes.equals(bytes)).toBe(true);
    expect((await scene.house.ctx.blocks.stat()).blocks).toBe(1);
  });
});

describe.each(engines)('check 21, uploads on %s', (engine) => {
  it('without a length are refused where they become too long, and where they end early', async () => {
    await using scene = await openScene(engine);
    const { sessionId } = (await scene.begin(1_000)).body;
    const send = async (length: number) =>
      await scene.house.fetch(
        new Request(`http://house.test/filevault/upload/${sessionId}/chunk/0`, {
          method: 'PUT',
          headers: { authorization: `Bearer ${scene.owner.token}`, 'content-type': 'application/octet-stream' },
          body: new Blob([new Uint8Array(length)]).stream(),
          duplex: 'half',
        }),
      );
    for (const length of [999, 1_001, 300_000]) {
      const answer = await send(length);
      expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([400, 'CHUNK_SIZE_WRONG']);
    }
    expect((await scene.house.ctx.blocks.stat()).blocks).toBe(0);
    expect((await send(1_000)).status).toBe(200);
  });
});

describe.each(engines)('check 16, links on the disk of the node on %s', (engine) => {
  it('show the bytes of no other file, and lose nothing of it', async () => {
    await using scene = await openScene(engine);
    const { ctx } = scene.house;
    const { dataDir } = ctx.config;
    const outside = join(dataDir, 'outside');
    const files = await Promise.all(['one', 'two'].map(async () => await smallChunkFile(scene)));
    const [one, two] = files.map(({ contentId }) => contentId);
    const share = await makeLink(scene, files[0]!.id, { mode: 'ephemeral_key_pair' });
    const idsOf = async (contentId: string) =>
      (
        await ctx.db
          .selectFrom('file_blocks')
          .select('block_id')
          .where('content_id', '=', contentId)
          .orderBy('place')
          .execute()
      ).map(({ block_id: id }) => id!);
    const [[mine], [other]] = [await idsOf(one!), await idsOf(two!)];
    const path = blockPath(dataDir, mine!);
    const kept = `${path}.kept`;
    const secret = Buffer.alloc((await stat(path)).size, 'the secret of somebody else\n');
    await writeFile(outside, secret);
    for (const [make, target] of [
      [symlink, outside],
      [link, outside],
      [symlink, blockPath(dataDir, other!)],
      [link, blockPath(dataDir, other!)],
    ] as const) {
      await rename(path, kept);
      await make(target, path);
      const { status, bytes } = await scene.read(files[0]!.id);
      expect(status).toBe(500);
      expect(bytes.includes('secret')).toBe(false);
      const shared = await fetchContent(scene, share.token);
      expect([shared.status, shared.bytes.includes('secret')]).toEqual([500, false]);
      await unlink(path);
      await rename(kept, path);
    }
    // A destruction removes the link, and not what it leads to.
    await rename(path, kept);
    await symlink(outside, path);
    await scene.get('POST', `/destroy/${files[0]!.id}`, {});
    await expect(lstat(path)).rejects.toThrow('ENOENT');
    expect((await stat(outside)).size).toBe(secret.length);
    expect((await scene.read(files[1]!.id)).bytes.equals(files[1]!.bytes)).toBe(true);
    const folders = await readdir(join(dataDir, 'blocks'), { withFileTypes: true });
    for (const { name } of folders) expect((await stat(join(dataDir, 'blocks', name))).mode & 0o077, name).toBe(0);
    expect((await stat(blockPath(dataDir, other!))).mode & 0o177).toBe(0);
  });
});
