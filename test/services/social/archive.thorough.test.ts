import { buffer } from 'node:stream/consumers';
import { extract } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { archiveHandler } from '../../../src/services/social/archive/archive-job.ts';
import { purgeArchives } from '../../../src/services/social/archive/archives.ts';
import { engines } from '../../support/stores.ts';
import { insertRows } from '../../../src/platform/store/written-query.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { gif } from '../filevault/pictures.ts';
import { runSocialJobs } from './due-jobs.ts';
import { openSocial, said, type SocialScene } from './scene.ts';

const DAY = 24 * 3_600_000;

async function download(scene: SocialScene, who: HouseMember, more: Record<string, string> = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${who.token}`, ...more };
  return await scene.house.fetch(new Request('http://house.test/api/social/archive/download', { headers }));
}

/** The id of a new picture. */
async function uploaded({ house }: SocialScene, { token }: HouseMember): Promise<string> {
  const rawBody = new Uint8Array(gif(16, 16, (x) => x > 8));
  const headers = { 'content-type': 'application/octet-stream', 'content-length': String(rawBody.length) };
  const { _id: id } = (await house.api('POST', '/api/social/media', { token, rawBody, headers })).body.data;
  return id;
}

/** The files of a tar by their names. */
// oxlint-disable-next-line typescript/no-explicit-any -- JSON of every shape
async function filesIn(tar: Buffer): Promise<Record<string, any>> {
  const files: Record<string, unknown> = {};
  const reader = extract();
  reader.end(tar);
  for await (const entry of reader) {
    const { name } = entry.header;
    const bytes = await buffer(entry);
    files[name] = name.endsWith('.json') ? JSON.parse(bytes.toString('utf8')) : bytes;
  }
  return files;
}

describe.each(engines)('an archive on %s', (engine) => {
  it('has all that a member has, and of others what the member may see', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    const carl = await scene.house.register({ username: 'carl' });
    await scene.follow(ada, bob);
    await scene.follow(carl, ada);
    const open = await scene.post(bob, 'Open');
    const hidden = await scene.post(carl, 'Hidden');
    for (const id of [open, hidden]) {
      await scene.ask(ada, 'POST', `/posts/${id}/bookmark`);
      await scene.ask(ada, 'POST', `/posts/${id}/like`);
    }
    await scene.protect(carl);
    const own = await scene.post(ada, 'Mine');
    scene.house.clock.advance(1);
    await scene.ask(ada, 'POST', `/posts/${open}/quote`, { commentary: 'Quote' });
    const gone = await scene.post(ada, 'Gone');
    await scene.ask(ada, 'DELETE', `/posts/${gone}`);
    const { list } = await scene.ask(ada, 'POST', '/lists', { name: 'Some' });
    await scene.ask(ada, 'POST', `/lists/${list['_id']}/members`, { userIds: ['bob'] });
    await scene.ask(ada, 'POST', '/filters', { phrase: 'tea' });
    const hub = await scene.ask(ada, 'POST', '/hubs', { name: 'Garden' });
    await scene.ask(ada, 'POST', `/posts/${open}/report`, { reason: 'Rude' });
    await scene.ask(ada, 'PUT', '/notifications/preferences', { soundEnabled: false });
    const picture = await uploaded(scene, ada);
    await scene.ask(ada, 'PUT', '/users/ada', { headerImageId: picture });
    expect((await scene.call(ada, 'GET', '/archive')).status).toBe(404);
    const begun = await scene.call(ada, 'POST', '/archive');
    expect([begun.status, begun.body.data.archive]).toMatchObject([202, { state: 'pending', done: 0 }]);
    expect(said(await scene.call(ada, 'POST', '/archive'))).toBe('409 ARCHIVE_PENDING');
    expect((await download(scene, ada)).status).toBe(409);
    await runSocialJobs(scene);
    const { archive } = await scene.ask(ada, 'GET', '/archive');
    expect(archive).toMatchObject({ state: 'ready', done: 7, total: 7 });
    const answer = await download(scene, ada);
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="social-ada-2026-01-15.tar"');
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.length).toBe(archive.size);
    const files = await filesIn(bytes);
    const contents = (posts: { content: string }[]) => posts.map((post) => post.content);
    expect(contents(files['posts/000001.json'])).toEqual(['Mine', 'Quote']);
    expect(contents(files['bookmarks/000001.json'])).toEqual(['Open']);
    expect(files['likes/000001.json']).toEqual([{ postId: open, createdAt: expect.any(String) }]);
    expect(files).toMatchObject({
      'about.json': { memberId: ada.memberId },
      'profile.json': { username: 'ada', headerImageUrl: `/api/social/media/${picture}` },
      'follows/000001.json': [{ username: 'bob' }],
      'followers/000001.json': [{ username: 'carl' }],
      'hubs/000001.json': [{ _id: hub['_id'], slug: hub.slug, name: 'Garden', role: 'owner' }],
      'lists/000001.json': { name: 'Some', members: [{ username: 'bob' }] },
      'reports/000001.json': [{ postId: open, reason: 'Rude' }],
      'notification-preferences.json': { userId: ada.memberId, soundEnabled: false },
      'filters.json': [{ phrase: 'tea', contexts: expect.any(Array) }],
    });
    expect(Object.keys(files).filter((name) => name.startsWith('media/'))).toEqual([
      expect.stringMatching(`^media/${picture}\\.`),
    ]);
    expect(bytes.toString('utf8')).not.toMatch(/Hidden|Gone/);
    const part = await download(scene, ada, { range: 'bytes=512-599' });
    expect([part.status, Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(512, 600))]).toEqual([206, true]);
    expect((await download(scene, bob)).status).toBe(404);
    expect(own).toBeTruthy();
  });

  it('has many things in files of some hundred', { tags: 'soak' }, async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const { db } = scene.house.ctx;
    const first = await scene.post(ada, 'Many');
    const [post] = await db.selectFrom('social_posts').selectAll().execute();
    const ids = Array.from({ length: 204 }, (_, at) => first.slice(0, -4) + (at + 1).toString(16).padStart(4, '0'));
    const all = [...new Set([first, ...ids])];
    await insertRows(
      db,
      'social_posts',
      all.flatMap((id) => (id === first ? [] : [{ ...post!, id }])),
    );
    const by = (id: string) => ({ post_id: id, member_id: ada.memberId, created_at: 1 });
    await insertRows(db, 'social_likes', all.map(by));
    await insertRows(
      db,
      'social_votes',
      all.flatMap((id) => [{ ...by(id), value: -1 }]),
    );
    await scene.ask(ada, 'POST', '/archive');
    await runSocialJobs(scene);
    expect((await scene.ask(ada, 'GET', '/archive')).archive).toMatchObject({ state: 'ready', total: all.length * 3 });
    const files = await filesIn(Buffer.from(await (await download(scene, ada)).arrayBuffer()));
    for (const folder of ['posts', 'likes', 'votes']) {
      const sizes = [1, 2].map((number) => files[`${folder}/00000${number}.json`].length);
      expect([folder, ...sizes]).toEqual([folder, 200, all.length - 200]);
    }
  });

  it('tells how much of it is done while it is made, and begins anew after it was interrupted', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const post = await scene.post(ada, 'One');
    for (const action of ['like', 'bookmark']) await scene.ask(ada, 'POST', `/posts/${post}/${action}`);
    await scene.ask(ada, 'POST', '/archive');
    const shown = async () => (await scene.ask(ada, 'GET', '/archive')).archive;
    const { id } = await scene.house.ctx.db.selectFrom('social_archives').select('id').executeTakeFirstOrThrow();
    const make = archiveHandler(scene.house.ctx);
    const progress: number[] = [];
    // The process is asked to end before each of its files in turn.
    for (let files = 0; (await shown()).state === 'pending'; files += 1) {
      let looks = 0;
      const throwIfAborted = (): void => {
        looks += 1;
        if (looks > files) throw new Error('the process ends');
      };
      const signal = Object.assign(AbortSignal.abort(), { throwIfAborted });
      await make({ archiveId: id }, { id: '', attempt: 1, signal, finish: async () => {} }).catch(() => undefined);
      progress.push((await shown()).done);
    }
    expect([...new Set(progress)]).toEqual([0, 1, 2, 3]);
    expect(await shown()).toMatchObject({ state: 'ready', done: 3, total: 3 });
    const files = await filesIn(Buffer.from(await (await download(scene, ada)).arrayBuffer()));
    expect(files['likes/000001.json']).toHaveLength(1);
  });

  it('has of what others wrote in encrypted hubs the ids alone, because it outlives the keys', async () => {
    await using scene = await openSocial(engine);
    const [ada, bob] = [await scene.house.register(), await scene.house.register()];
    const { _id: hub } = await scene.ask(ada, 'POST', '/hubs', { name: 'Garden', trustTier: 'encrypted' });
    await scene.ask(bob, 'POST', `/hubs/${hub}/join`, {});
    const hers = await scene.post(ada, 'Words of hers', { hubIds: [hub] });
    const his = await scene.post(bob, 'Words of his', { hubIds: [hub] });
    for (const id of [hers, his]) await scene.ask(bob, 'POST', `/posts/${id}/bookmark`);
    scene.house.clock.advance(1);
    await scene.ask(bob, 'POST', `/posts/${hers}/quote`, { commentary: 'Quote of his' });
    await scene.ask(bob, 'POST', '/archive');
    await runSocialJobs(scene);
    const files = await filesIn(Buffer.from(await (await download(scene, bob)).arrayBuffer()));
    expect(files['bookmarks/000001.json']).toMatchObject([{ _id: hers }, { _id: his, content: 'Words of his' }]);
    expect(files['posts/000001.json']).toMatchObject([
      { content: 'Words of his' },
      { content: 'Quote of his', quotedPost: null },
    ]);
    expect(JSON.stringify(files)).not.toContain('of hers');
  });

  it('is sealed in blocks, and gone at its moment', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    for (let at = 0; at < 150; at += 1) await scene.post(ada, `Needle ${at} ${'x'.repeat(200)}`);
    await scene.ask(ada, 'POST', '/archive');
    await runSocialJobs(scene);
    const { db, blocks } = scene.house.ctx;
    const [block] = await db.selectFrom('social_archive_blocks').selectAll().execute();
    const id = block?.block_id as string;
    const { bytes } = await blocks.stat();
    expect(Buffer.from(await blocks.get(id, { start: 0, end: bytes })).includes('Needle')).toBe(false);
    scene.house.clock.advance(7 * DAY - 1);
    await purgeArchives(scene.house.ctx);
    // The session has ended meanwhile.
    const again = { ...ada, token: await scene.house.signIn(ada) };
    expect((await download(scene, again)).status).toBe(200);
    scene.house.clock.advance(1);
    expect((await download(scene, again)).status).toBe(404);
    expect(said(await scene.call(again, 'GET', '/archive'))).toBe('404 ARCHIVE_NOT_FOUND');
    await purgeArchives(scene.house.ctx);
    expect(await db.selectFrom('social_archives').selectAll().execute()).toEqual([]);
    expect(await blocks.stat()).toEqual({ blocks: 0, bytes: 0 });
    expect((await scene.call(again, 'POST', '/archive')).status).toBe(202);
  });
});
