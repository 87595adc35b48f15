import { describe, expect, it } from 'vitest';
import { canaries, leaks } from '../../support/canaries.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { png } from '../filevault/pictures.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { runSocialJobs } from './due-jobs.ts';
import { openSocial, said, type SocialScene } from './scene.ts';
import { openBare } from './stored-bytes.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Json = any;

/** A new hub of this owner; answers its id. */
async function openHub(
  scene: SocialScene,
  owner: HouseMember,
  members: readonly HouseMember[],
  trustTier = 'encrypted',
): Promise<string> {
  scene.house.clock.advance(1);
  const { _id: id } = await scene.ask(owner, 'POST', '/hubs', { name: 'Hub', trustTier });
  for (const who of members) await scene.ask(who, 'POST', `/hubs/${id}/join`, {});
  return id;
}

async function storedPosts({ house }: SocialScene) {
  return await house.ctx.db.selectFrom('social_posts').selectAll().orderBy('id').execute();
}

describe.each(engines)('posts in encrypted hubs on %s', (engine) => {
  it('leave no word of theirs in the store, and their readers read all of it', async () => {
    await using bare = await openBare(engine);
    const { scene, bytes, rows } = bare;
    const { house } = scene;
    const ada = await house.register({ username: 'ada' });
    const bob = await house.register({ username: 'bob' });
    const hub = await openHub(scene, ada, [bob]);
    const words = canaries();
    const altText = words.plant('alt');
    const query = `?altText=${altText}`;
    const picture = await house.api('POST', `/api/social/media${query}`, {
      token: ada.token,
      rawBody: new Uint8Array(png(8, 8, Buffer.alloc(200))),
      headers: { 'content-type': 'application/octet-stream' },
    });
    const { _id: mediaId } = picture.body.data;
    const spoken = canaries();
    const text = `${spoken.plant('text')} @bob #${spoken.add('Canary_tag_Zx9Qw7Lk')} https://${spoken.plant('link')}.example`;
    const warning = spoken.plant('warning');
    const written = await scene.call(
      ada,
      'POST',
      '/posts',
      { content: text, contentWarning: warning, hubIds: [hub], mediaAttachments: [{ _id: mediaId }] },
      { 'idempotency-key': 'a-key-of-the-client' },
    );
    expect(said(written)).toBe('201 success');
    const { _id: id } = written.body.data;
    const reply = await scene.post(bob, spoken.plant('reply'), { parentPostId: id });
    house.clock.advance(1);
    const commentary = spoken.plant('quote');
    const { _id: quote } = await scene.ask(bob, 'POST', `/posts/${id}/quote`, { commentary });
    await scene.ask(bob, 'POST', `/posts/${id}/repost`);
    await scene.ask(bob, 'POST', `/posts/${id}/report`, { reason: 'A reason', hubId: hub });
    await scene.ask(bob, 'POST', `/posts/${id}/bookmark`);
    const edited = spoken.plant('edited');
    const replied = spoken.plant('reply edited');
    await scene.ask(ada, 'PUT', `/posts/${id}`, { content: `${text} ${edited}` });
    await scene.ask(bob, 'PUT', `/posts/${reply}`, { content: replied });
    // Taken out of its hub it is still sealed, and its author may still change it.
    const taken = await scene.post(bob, spoken.add('CanaryTakenZx9Qw7Lk'), { hubIds: [hub] });
    await scene.ask(ada, 'POST', `/hubs/${hub}/remove-post`, { postId: taken });
    await scene.ask(bob, 'PUT', `/posts/${taken}`, { content: spoken.add('CanaryChangedZx9Qw7Lk') });
    expect(await scene.ask(bob, 'GET', `/posts/${taken}`)).toMatchObject({ content: 'CanaryChangedZx9Qw7Lk' });
    await scene.ask(ada, 'POST', '/archive', {});
    await runDueJobs(scene, 'notifications');
    await runSocialJobs(scene);

    // What is found at all: a post in a hub that is not encrypted.
    const plain = await scene.post(ada, 'Plain words of the open hub', {
      hubIds: [await openHub(scene, ada, [bob], 'open')],
    });
    expect(leaks([...spoken.all, 'Plain words'], await bytes())).toEqual(['Plain words']);
    // The text of an upload waits in the store until a post takes it.
    expect(leaks(words.all, await rows())).toEqual([]);
    expect(JSON.stringify(house.happened)).not.toContain('Canary');
    expect(leaks(spoken.all, JSON.stringify(house.log))).toEqual([]);

    const shown = await scene.ask(bob, 'GET', `/posts/${id}`);
    expect(shown).toMatchObject({
      content: `${text} ${edited}`,
      contentWarning: warning,
      mentions: [bob.memberId],
      hubIds: [hub],
      mediaAttachments: [{ altText }],
    });
    expect(shown.hashtags).toHaveLength(1);
    const { posts } = await scene.ask(ada, 'GET', `/hubs/${hub}/posts`);
    expect(posts.map((post: Json) => [post['_id'], post.quotedPost?.content]).toSorted()).toEqual(
      [
        [id, undefined],
        [quote, `${text} ${edited}`],
        [posts.find((post: Json) => post.postType === 'repost')['_id'], `${text} ${edited}`],
      ].toSorted(),
    );
    const thread = await scene.ask(ada, 'GET', `/posts/${reply}/thread`);
    expect(thread).toMatchObject({ rootPost: { _id: id }, replies: [{ content: replied }] });
    const { notifications } = await scene.ask(bob, 'GET', '/notifications');
    const told = notifications.filter(({ type }: Json) => type === 'mention');
    expect(told).toMatchObject([{ targetId: id, content: 'ada mentioned you.' }]);
    // Filters of readers see the words.
    const filter = { phrase: edited, action: 'hide', contexts: ['hub'] };
    await scene.ask(bob, 'POST', '/filters', filter);
    expect((await scene.ask(bob, 'GET', `/hubs/${hub}/posts`)).posts).toEqual([]);

    for (const gone of [id, plain]) await scene.ask(ada, 'DELETE', `/posts/${gone}`);
    const row = (await storedPosts(scene)).find((one) => one.id === id);
    expect(row).toMatchObject({ sealed: null, sealed_in: null, epoch: null });
  });

  it('are in that hub alone, and under the key that it has when they are written', async () => {
    await using scene = await openSocial(engine);
    const { house } = scene;
    const [ada, bob, cyd] = [await house.register(), await house.register(), await house.register()];
    const hub = await openHub(scene, ada, [bob]);
    const open = await openHub(scene, ada, [bob], 'open');
    const two = await scene.call(ada, 'POST', '/posts', { content: 'Two', hubIds: [hub, open] });
    expect([said(two), two.body.error.details?.[0]?.field ?? two.body.error.message]).toEqual([
      '400 VALIDATION_ERROR',
      expect.stringContaining('hubIds'),
    ]);
    const early = await scene.post(ada, 'Early', { hubIds: [hub] });
    const inOpen = await scene.post(ada, 'Open', { hubIds: [open] });
    const late = await scene.post(ada, 'Late', { hubIds: [hub] });
    await scene.ask(cyd, 'POST', `/hubs/${hub}/join`, {});
    // An edit is under the key that the hub has then, and for whom the post was written for.
    await scene.ask(ada, 'PUT', `/posts/${early}`, { content: 'Early, changed' });
    const after = await scene.post(bob, 'After', { hubIds: [hub] });
    const answer = await scene.post(bob, 'Answer', { parentPostId: early });
    const rows = (await storedPosts(scene)).map((one) => [
      one.id,
      one.content,
      one.epoch,
      one.first_epoch,
      one.revision,
    ]);
    expect(rows).toEqual([
      [early, '', 3, 2, 1],
      [inOpen, 'Open', null, null, null],
      [late, '', 2, 2, 0],
      [after, '', 3, 3, 0],
      [answer, '', 3, 3, 0],
    ]);
    const feed = async (who: HouseMember) =>
      (await scene.ask(who, 'GET', `/hubs/${hub}/posts`)).posts.map((post: Json) => post.content);
    expect(await feed(bob)).toEqual(['After', 'Late', 'Early, changed']);
    expect(await feed(cyd)).toEqual(['After']);
    expect((await scene.ask(cyd, 'GET', `/posts/${answer}/thread`)).rootPost.content).toBe('Answer');
    expect(said(await scene.call(cyd, 'GET', `/posts/${early}`))).toBe('404 POST_NOT_FOUND');
    // Who comes back missed what was written meanwhile, and what was before, but for their own.
    await scene.ask(bob, 'POST', `/hubs/${hub}/leave`, {});
    await scene.post(ada, 'Missed', { hubIds: [hub] });
    await scene.ask(bob, 'POST', `/hubs/${hub}/join`, {});
    expect(await feed(bob)).toEqual(['After']);
    // A post does not open in another place.
    await house.ctx.db.updateTable('social_posts').set({ revision: 7 }).where('id', '=', after).execute();
    expect(said(await scene.call(cyd, 'GET', `/posts/${after}`))).toMatch(/^500/);
  });

  it('open no more when the hub is deleted, for nobody', async () => {
    await using scene = await openSocial(engine);
    const { house } = scene;
    const [ada, bob] = [await house.register({ username: 'ada' }), await house.register({ username: 'bob' })];
    const hub = await openHub(scene, ada, [bob]);
    const open = await openHub(scene, ada, [bob], 'open');
    const id = await scene.post(bob, 'Words', { hubIds: [hub] });
    const other = await scene.post(bob, 'Other words', { hubIds: [open] });
    await scene.ask(bob, 'POST', `/posts/${id}/bookmark`);
    for (let reply = 0; reply < 12; reply += 1) await scene.post(ada, 'Reply', { parentPostId: id });
    await scene.ask(ada, 'POST', `/posts/${id}/repost`);
    for (const one of [hub, open]) await scene.ask(ada, 'DELETE', `/hubs/${one}`);
    for (const who of [ada, bob]) expect(said(await scene.call(who, 'GET', `/posts/${id}`))).toBe('404 POST_NOT_FOUND');
    expect((await scene.ask(bob, 'GET', `/posts/${other}`)).content).toBe('Other words');
    const { posts } = await scene.ask(bob, 'GET', '/users/bob/feed');
    expect(posts.map((post: Json) => post['_id'])).toEqual([other]);
    expect((await scene.ask(bob, 'GET', '/bookmarks')).posts).toEqual([]);
    expect(said(await scene.call(bob, 'PUT', `/posts/${id}`, { content: 'Else' }))).toBe('404 POST_NOT_FOUND');
    // A job erases them: their author could not find them to delete them.
    await runSocialJobs(scene);
    expect((await storedPosts(scene)).map((row) => row.id)).toEqual([other]);
    expect(said(await scene.call(bob, 'DELETE', `/posts/${id}`))).toBe('404 POST_NOT_FOUND');
  });

  it('never come under a key of somebody who was banned before', { tags: 'thorough' }, async () => {
    await using scene = await openSocial(engine);
    const { house } = scene;
    const [ada, bob, eve] = [await house.register(), await house.register(), await house.register()];
    const hub = await openHub(scene, ada, [bob, eve]);
    for (let round = 0; round < 6; round += 1) {
      const write = async (who: HouseMember) =>
        await scene.call(who, 'POST', '/posts', { content: 'Hi', hubIds: [hub] });
      const had = (await scene.ask(eve, 'GET', `/hubs/${hub}/keys`)).epoch;
      const first = await scene.post(bob, 'To change', { hubIds: [hub] });
      const writing = [bob, eve, ada, bob, eve].map(write);
      const editing = [scene.call(bob, 'PUT', `/posts/${first}`, { content: 'Changed' })];
      const known = await scene
        .ask(ada, 'POST', `/hubs/${hub}/ban`, { userId: eve.memberId })
        .then(async () => new Map((await storedPosts(scene)).map((row) => [row.id, row.revision])));
      for (const answer of await Promise.all([...writing, ...editing]))
        expect(['200 success', '201 success', '403 BANNED_FROM_HUB']).toContain(said(answer));
      const later = (await storedPosts(scene)).filter((row) => known.get(row.id) !== row.revision);
      expect(later.filter((row) => (row.epoch ?? 0) <= had)).toEqual([]);
      await scene.ask(ada, 'POST', `/hubs/${hub}/unban`, { userId: eve.memberId });
      await scene.ask(eve, 'POST', `/hubs/${hub}/join`, {});
    }
  });

  it('name nobody who left the social network', async () => {
    await using scene = await openSocial(engine);
    const { house } = scene;
    const [ada, bob] = [await house.register(), await house.register({ username: 'bob' })];
    const hub = await openHub(scene, ada, []);
    const id = await scene.post(ada, 'Hello @bob', { hubIds: [hub] });
    expect((await scene.ask(ada, 'GET', `/posts/${id}`)).mentions).toEqual([bob.memberId]);
    await scene.ask(bob, 'DELETE', `/users/${bob.memberId}`, { password: bob.password });
    await runSocialJobs(scene);
    expect(await scene.ask(ada, 'GET', `/posts/${id}`)).toMatchObject({ mentions: [], content: 'Hello @bob' });
  });
});
