import { describe, expect, it } from 'vitest';
import { transaction } from '../../../src/service/context.ts';
import { mute } from '../../../src/shared/groups/mutes.ts';
import { tableCounts } from '../../../src/platform/store/census.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { contents } from '../notifications/notifying.ts';
import { expectRightCounts } from './right-counts.ts';
import { openSocial, said } from './scene.ts';

describe.each(engines)('check 25, an edit on %s', (engine) => {
  it('is possible until 15 minutes have passed, and not a millisecond after', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    const id = await scene.post(ada, 'One', { contentWarning: 'Careful', isSensitive: true });
    const edit = async (content: string, more = {}, who = ada, which = id) =>
      await scene.call(who, 'PUT', `/posts/${which}`, { content, ...more });
    scene.house.clock.advance(15 * 60_000 - 1);
    const edited = (await edit('Two')).body.data;
    expect(edited).toMatchObject({ content: 'Two', isEdited: true, contentWarning: 'Careful', isSensitive: true });
    expect(edited.editedAt).toBe(new Date(scene.house.clock.now()).toISOString());
    expect((await edit('Three', { contentWarning: '', isSensitive: false })).body.data).toMatchObject({
      contentWarning: '',
      isSensitive: false,
    });
    scene.house.clock.advance(1);
    expect(said(await edit('Four'))).toBe('200 success');
    // The window begins when a post is written, whenever it was edited.
    scene.house.clock.advance(1);
    expect(said(await edit('Five'))).toBe('403 EDIT_WINDOW_OVER');
    expect(said(await edit('Five', {}, bob))).toBe('403 NOT_AUTHOR');
    expect(said(await edit('Five', {}, bob, 'f'.repeat(32)))).toBe('404 POST_NOT_FOUND');
    expect(await scene.ask(bob, 'GET', `/posts/${id}`)).toMatchObject({ content: 'Four' });
    await scene.ask(ada, 'DELETE', `/posts/${id}`);
    expect(said(await edit('Six'))).toBe('404 POST_NOT_FOUND');
  });

  it('is checked as a new text is, and changes nothing if it is refused', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const id = await scene.post(ada, 'One #tea');
    const repost = (await scene.ask(ada, 'POST', `/posts/${id}/repost`))['_id'] as string;
    const names = (count: number) =>
      Array.from({ length: count }, (_, at) => `@a${String(at).padStart(2, '0')}`).join(' ');
    const tags = (count: number) => Array.from({ length: count }, (_, at) => `#a${at}`).join(' ');
    const refused: [string, string][] = [
      ['x'.repeat(281), '400 POST_TOO_LONG'],
      [names(51), '400 TOO_MANY_MENTIONS'],
      [tags(31), '400 TOO_MANY_HASHTAGS'],
      ['', '400 VALIDATION_ERROR'],
      [' \n ', '400 VALIDATION_ERROR'],
      ['a\u0000b', '400 VALIDATION_ERROR'],
    ];
    for (const [content, code] of refused)
      expect([content, said(await scene.call(ada, 'PUT', `/posts/${id}`, { content }))]).toEqual([content, code]);
    expect(said(await scene.call(ada, 'PUT', `/posts/${repost}`, { content: 'x' }))).toBe('400 REPOST_HAS_NO_TEXT');
    expect(await scene.ask(ada, 'GET', `/posts/${id}`)).toMatchObject({ content: 'One #tea', isEdited: false });
    expect((await scene.ask(ada, 'GET', '/hashtag/tea')).posts).toHaveLength(1);
    await scene.ask(ada, 'PUT', `/posts/${id}`, { content: `${names(50)} #coffee` });
    expect((await scene.ask(ada, 'GET', '/hashtag/tea')).posts).toEqual([]);
    expect((await scene.ask(ada, 'GET', '/hashtag/Coffee')).posts).toMatchObject([{ _id: id }]);
    expect(await tableCounts(scene.house.ctx.store)).toContainEqual({ name: 'social_post_tags', rows: 1 });
  });

  it('tells members whom it names for the first time, and nobody twice', async () => {
    await using scene = await openSocial(engine);
    const [ada, bob, eve, zed] = [
      await scene.house.register({ username: 'ada' }),
      await scene.house.register({ username: 'bob' }),
      await scene.house.register({ username: 'eve' }),
      await scene.house.register({ username: 'zed' }),
    ];
    await scene.ask(zed, 'POST', '/users/ada/block');
    const above = await scene.post(bob, 'Above');
    const id = await scene.post(ada, 'Hello @eve', { parentPostId: above });
    const told = async () => {
      await runDueJobs(scene, 'notifications');
      return await read();
    };
    const read = async () => [
      await contents(scene.house, bob),
      await contents(scene.house, eve),
      await contents(scene.house, zed),
      await contents(scene.house, ada),
    ];
    expect(await told()).toEqual([['ada replied to your post.'], ['ada mentioned you.'], [], []]);
    for (const who of [eve])
      await scene.house.api('POST', '/api/social/notifications/read-all', { token: who.token, body: {} });
    // The author above was told of the reply, and an edit tells nobody again.
    const edited = await scene.ask(ada, 'PUT', `/posts/${id}`, { content: 'Hello @eve, @bob, @zed, @ada and @nobody' });
    expect(edited.mentions.toSorted()).toEqual([ada.memberId, bob.memberId, eve.memberId].toSorted());
    expect(await told()).toEqual([['ada replied to your post.'], ['ada mentioned you.'], [], []]);
    const other = await scene.post(ada, 'Alone');
    await scene.ask(ada, 'PUT', `/posts/${other}`, { content: 'With @bob' });
    expect((await told())[0]).toEqual(['ada mentioned you.', 'ada replied to your post.']);
    // Who is named no more is told no more.
    await scene.ask(ada, 'PUT', `/posts/${other}`, { content: 'Alone again' });
    await scene.ask(ada, 'PUT', `/posts/${id}`, { content: 'Hello' });
    expect(await told()).toEqual([['ada replied to your post.'], [], [], []]);
    // A member who may not see the post is not told of it.
    await scene.protect(ada);
    const hidden = await scene.post(ada, 'For followers');
    await scene.ask(ada, 'PUT', `/posts/${hidden}`, { content: 'For followers and @eve' });
    expect((await told())[1]).toEqual([]);
  });

  it('of a post in hubs is for who may post in each of them', async () => {
    await using scene = await openSocial(engine);
    const [ada, eve] = [
      await scene.house.register({ username: 'ada' }),
      await scene.house.register({ username: 'eve' }),
    ];
    const open = async (trustTier: string, ...members: readonly HouseMember[]): Promise<string> => {
      scene.house.clock.advance(1);
      const { _id: id } = await scene.ask(ada, 'POST', '/hubs', { name: 'Hub', trustTier });
      for (const who of members) await scene.ask(who, 'POST', `/hubs/${id}/join`, {});
      return id;
    };
    const [bob, cyd, dan, fay] = [
      await scene.house.register(),
      await scene.house.register(),
      await scene.house.register(),
      await scene.house.register(),
    ];
    const hub = await open('open', bob, cyd, dan, fay, eve);
    const other = await open('open', bob);
    const sealed = await open('encrypted', bob, eve);
    const written: [HouseMember, string, string][] = [];
    const write = async (who: HouseMember, code: string, ...hubIds: string[]) =>
      written.push([who, code, await scene.post(who, 'Before', { hubIds })]);
    await write(bob, '403 BANNED_FROM_HUB', hub, other);
    await write(cyd, '403 FORBIDDEN', hub);
    await write(dan, '403 FORBIDDEN', hub);
    await write(fay, '403 FORBIDDEN', hub);
    await write(bob, '403 FORBIDDEN', sealed);
    const { db, clock } = scene.house.ctx;
    await scene.ask(ada, 'POST', `/hubs/${hub}/ban`, { userId: bob.memberId });
    await scene.ask(cyd, 'POST', `/hubs/${hub}/leave`, {});
    await scene.ask(ada, 'DELETE', `/hubs/${hub}/members`, { userIds: [dan.memberId] });
    await scene.ask(bob, 'POST', `/hubs/${sealed}/leave`, {});
    const muting = { by: ada.memberId, memberId: fay.memberId, endsAt: clock.now() + 60_000 };
    await transaction(scene.house.ctx, async (tx) => await mute(tx, { kind: 'hub', id: hub }, muting));
    const rows = async () => await db.selectFrom('social_posts').selectAll().orderBy('id').execute();
    const before = await rows();
    const edit = async (who: HouseMember, id: string) =>
      said(await scene.call(who, 'PUT', `/posts/${id}`, { content: 'After, @eve #tea' }));
    for (const [who, code, id] of written) expect(await edit(who, id)).toBe(code);
    expect(await rows()).toEqual(before);
    await runDueJobs(scene, 'notifications');
    expect(await contents(scene.house, eve)).toEqual([]);
    // What a moderator took out of a hub, and what is in none any more, is no matter of that hub.
    for (const [, , postId] of written.slice(0, 2))
      await scene.ask(ada, 'POST', `/hubs/${hub}/remove-post`, { postId });
    expect([await edit(bob, written[0]![2]), await edit(cyd, written[1]![2])]).toEqual(['200 success', '200 success']);
    await scene.ask(ada, 'DELETE', `/hubs/${hub}`, {});
    expect(await edit(dan, written[2]![2])).toBe('200 success');
    await runDueJobs(scene, 'notifications');
    expect(await contents(scene.house, eve)).toEqual([]);
  });

  it('of many at once leaves one text with its tags', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const id = await scene.post(ada, 'One #one');
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, at) =>
        said(await scene.call(ada, 'PUT', `/posts/${id}`, { content: `Edit ${at} #t${at}a #same` })),
      ),
    );
    expect(new Set(answers)).toEqual(new Set(['200 success']));
    const { content } = await scene.ask(ada, 'GET', `/posts/${id}`);
    const rows = await scene.house.ctx.db.selectFrom('social_post_tags').selectAll().execute();
    expect(rows.map(({ tag }) => tag).toSorted()).toEqual([/#(t\d+a)/.exec(content as string)?.[1], 'same'].toSorted());
  });

  it('at the same moment as a moderator takes the post out of its hub leaves it out, and sealed', async () => {
    await using scene = await openSocial(engine);
    const [ada, bob] = [await scene.house.register(), await scene.house.register()];
    for (const trustTier of ['open', 'encrypted']) {
      const { _id: hub } = await scene.ask(ada, 'POST', '/hubs', { name: `Hub, ${trustTier}`, trustTier });
      await scene.ask(bob, 'POST', `/hubs/${hub}/join`, {});
      for (let round = 0; round < 8; round += 1) {
        const id = await scene.post(bob, 'First words', { hubIds: [hub] });
        const asked = [
          async () => await scene.call(bob, 'PUT', `/posts/${id}`, { content: `Second ${trustTier}words` }),
          async () => await scene.call(ada, 'POST', `/hubs/${hub}/remove-post`, { postId: id }),
        ];
        const answers = await Promise.all((round % 2 === 0 ? asked : asked.toReversed()).map((ask) => ask()));
        expect(answers.map(said)).toEqual(['200 success', '200 success']);
        expect((await scene.ask(ada, 'GET', `/hubs/${hub}/posts`)).posts).toEqual([]);
        expect(await scene.ask(bob, 'GET', `/posts/${id}`)).toMatchObject({ content: `Second ${trustTier}words` });
        expect(said(await scene.call(ada, 'GET', `/posts/${id}`))).toBe('404 POST_NOT_FOUND');
      }
      const found = await scene.ask(bob, 'GET', `/search?q=${trustTier}words`);
      expect(found.posts).toHaveLength(trustTier === 'open' ? 8 : 0);
      await expectRightCounts(scene);
    }
  });
});
