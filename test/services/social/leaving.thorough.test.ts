import { describe, expect, it } from 'vitest';
import { bytesOf } from '../../../src/platform/store/member-storage.ts';
import { purgeRealtime } from '../../../src/platform/realtime/retention.ts';
import { engines } from '../../support/stores.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { gif } from '../filevault/pictures.ts';
import { allRows } from '../passvault/store-contents.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { runSocialJobs } from './due-jobs.ts';
import { openSocial, said, type SocialScene } from './scene.ts';

/** Stands in all that she writes, and in nothing else. */
const word = 'zanzibar';

/** What stays of a member who left the social network, by tables: the account is theirs as before. */
const stays: Readonly<Record<string, string>> = {
  members: 'the account',
  member_credentials: 'the account',
  member_profiles: 'the account',
  member_settings: 'the account',
  sessions: 'the account',
  member_blocks: 'blocks also protect in other services',
  member_mutes: 'the same',
  room_bans: 'whoever is banned does not come back by leaving',
  member_storage: 'how much the account stores',
  energy_accounts: 'what the account may use of the node',
  event_topics: 'the number of the last event of the account',
  idempotency_keys: 'that something was asked for, and not what it was',
};

/** After events of sockets have expired, and what was planned for the account is done. Nobody hears of the member until then either. */
async function tracesLater(scene: SocialScene, who: HouseMember): Promise<string[]> {
  const told = await scene.house.ctx.db.selectFrom('events').select(['topic', 'data']).execute();
  const others = told.filter(({ topic }) => topic !== `notifications:${who.memberId}`);
  // A drop ends subscriptions, and is sent to nobody.
  expect(others.filter(({ data }) => data.includes(who.memberId) && data !== JSON.stringify([who.memberId]))).toEqual(
    [],
  );
  scene.house.clock.advance(37 * 3_600_000);
  await purgeRealtime(scene.house.ctx);
  await runDueJobs(scene, 'notifications');
  return await traces(scene, who.memberId, word);
}

/** Tables of the store that have a text somewhere, in text or in bytes, and do not belong to the account. */
async function traces({ house: { ctx } }: SocialScene, ...needles: string[]): Promise<string[]> {
  const tables = await allRows(ctx);
  expect(tables.size).toBeGreaterThan(100);
  const found: string[] = [];
  for (const [name, rows] of tables) {
    const texts = rows.flatMap((row) =>
      Object.values(row).map((value) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value),
      ),
    );
    for (const needle of needles)
      if (texts.some((text) => text.toLowerCase().includes(needle)))
        found.push(needle === word ? `${name}: word` : name);
  }
  return found.filter((name) => stays[name] === undefined);
}

/** Conversations in which she is and was, with files and what others did about her. */
async function fillMessages(
  scene: SocialScene,
  { ada, bob, carl }: Readonly<Record<'ada' | 'bob' | 'carl', HouseMember>>,
): Promise<{ afterwards(): Promise<void> }> {
  const ask = async (who: HouseMember, method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) =>
    await scene.ask(who, method, `/messages${path}`, body);
  const { house } = scene;
  const upload = async () =>
    (
      await house.api('POST', `/api/chat/attachments?filename=${word}.txt`, {
        token: ada.token,
        rawBody: Uint8Array.from(Buffer.from(word)),
        headers: { 'content-type': 'text/plain', 'content-length': String(word.length) },
      })
    ).body.data.id as string;
  const { _id: pair } = await ask(ada, 'POST', '/conversations', { otherUserId: 'bob', content: word });
  await ask(bob, 'POST', `/conversations/${pair}/messages`, { content: 'Yes?' });
  const groups: string[] = [];
  for (const owner of [ada, bob]) {
    const participantIds = ['ada', 'bob', 'carl'];
    groups.push((await ask(owner, 'POST', '/conversations', { type: 'group', name: 'Group', participantIds }))['_id']);
  }
  for (const group of groups) {
    const hello = { content: `@bob ${word}`, clientId: 'one', attachments: [await upload()] };
    const { _id: hers } = await ask(ada, 'POST', `/conversations/${group}/messages`, hello);
    const { _id: his } = await ask(bob, 'POST', `/conversations/${group}/messages`, { content: '@ada Yes?' });
    await ask(ada, 'POST', `/${his}/reactions`, { emoji: '👍' });
    await ask(bob, 'POST', `/${hers}/report`, { reason: 'x' });
    await ask(ada, 'POST', `/${his}/report`, { reason: word });
    house.clock.advance(1);
  }
  // Nobody whom she asked can be added by her, so she asks after that.
  await ask(ada, 'POST', '/conversations', { otherUserId: 'carl', content: word });
  // She left this one before, and who stays may have what she said.
  await ask(ada, 'DELETE', `/conversations/${groups[1]}`);
  await runDueJobs(scene, 'notifications');
  return {
    async afterwards() {
      expect(said(await scene.call(bob, 'GET', `/messages/conversations/${pair}`))).toBe('404 CONVERSATION_NOT_FOUND');
      expect((await ask(carl, 'GET', '/requests')).requests).toEqual([]);
      for (const group of groups) {
        const { ownerId, participantIds } = await ask(carl, 'GET', `/conversations/${group}`);
        expect(participantIds.toSorted()).toEqual([bob.memberId, carl.memberId].toSorted());
        // Those who came at the same moment are in the order of their ids.
        expect(ownerId).toBe(group === groups[0] ? participantIds[0] : bob.memberId);
        expect((await ask(carl, 'GET', `/conversations/${group}/messages`)).messages).toMatchObject([
          { seq: 1, content: null, senderUsername: '', attachments: [] },
          { seq: 2, content: '@ada Yes?', reactions: [] },
        ]);
      }
    },
  };
}

async function leave(scene: SocialScene, who: HouseMember) {
  return await scene.call(who, 'DELETE', `/users/${who.memberId}`, { password: who.password });
}

describe.each(engines)('check 24, leaving the social network on %s', (engine) => {
  it('leaves nothing, and all counters right', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    const carl = await scene.house.register({ username: 'carl' });
    await scene.follow(ada, bob);
    await scene.follow(bob, ada);
    await scene.protect(carl);
    await scene.ask(ada, 'POST', '/users/carl/follow', { message: word });
    const his = await scene.post(bob, 'Hello @ada and @carl #tea');
    await scene.ask(ada, 'POST', `/posts/${his}/like`);
    await scene.ask(ada, 'POST', `/posts/${his}/downvote`);
    await scene.ask(bob, 'POST', `/posts/${his}/upvote`);
    const reply = await scene.post(ada, `Reply ${word} #tea`, { parentPostId: his });
    const below = await scene.post(bob, 'Below', { parentPostId: reply });
    await scene.ask(ada, 'POST', `/posts/${his}/repost`);
    await scene.ask(ada, 'POST', `/posts/${his}/quote`, { commentary: word });
    const deleted = await scene.post(ada, `Deleted ${word}`);
    await scene.post(bob, 'On it', { parentPostId: deleted });
    await scene.ask(ada, 'DELETE', `/posts/${deleted}`);
    const own = await scene.post(ada, `Own ${word} #tea`);
    await scene.ask(ada, 'POST', `/posts/${own}/repost`);
    await scene.ask(bob, 'POST', `/posts/${own}/like`);
    await scene.ask(bob, 'POST', `/posts/${own}/bookmark`);
    await scene.ask(bob, 'POST', `/posts/${own}/repost`);
    const quote = await scene.ask(bob, 'POST', `/posts/${own}/quote`, { commentary: 'Look' });
    await scene.ask(bob, 'POST', `/posts/${own}/report`, { reason: 'x' });
    await scene.ask(ada, 'POST', `/posts/${his}/report`, { reason: word });
    await scene.ask(ada, 'POST', `/posts/${his}/bookmark`);
    await scene.ask(ada, 'POST', '/filters', { phrase: word });
    for (const [who, name] of [
      [ada, 'bob'],
      [bob, 'ada'],
    ] as const) {
      const { list } = await scene.ask(who, 'POST', '/lists', { name: who === ada ? word : 'List' });
      await scene.ask(who, 'POST', `/lists/${list['_id']}/members`, { userIds: [name] });
    }
    const eve = await scene.house.register({ username: 'eve' });
    await scene.ask(ada, 'POST', '/users/eve/block');
    await scene.ask(eve, 'POST', `/users/${ada.memberId}/mute`, { duration: '1h' }).catch(() => undefined);
    await scene.ask(ada, 'POST', '/users/carl/mute', { duration: 'permanent' });
    await scene.ask(ada, 'PUT', `/users/${ada.memberId}`, { displayName: word, bio: word });
    await scene.ask(ada, 'POST', '/archive');
    const talk = await fillMessages(scene, { ada, bob, carl });
    await runSocialJobs(scene);
    expect((await traces(scene, ada.memberId, word)).length).toBeGreaterThan(15);

    expect(said(await scene.call(ada, 'DELETE', '/users/ada', { password: 'not this one' }))).toBe(
      '401 INVALID_CREDENTIALS',
    );
    expect(said(await scene.call(ada, 'DELETE', '/users/bob', { password: ada.password }))).toBe('403 FORBIDDEN');
    expect(said(await scene.call(ada, 'DELETE', '/users/ada', {}))).toBe('400 VALIDATION_ERROR');
    expect((await leave(scene, ada)).status).toBe(202);
    // Gone for everybody before anything else is erased.
    expect(said(await scene.call(bob, 'GET', '/users/ada'))).toBe('404 MEMBER_NOT_FOUND');
    for (const id of [reply, own])
      expect(said(await scene.call(bob, 'GET', `/posts/${id}`))).toBe('404 POST_NOT_FOUND');
    expect((await scene.ask(bob, 'GET', '/hashtag/tea')).posts).toHaveLength(1);
    expect((await scene.ask(bob, 'GET', '/users/bob/followers')).people).toEqual([]);
    expect(said(await scene.call(ada, 'POST', '/posts', { content: 'x' }))).toBe('403 FORBIDDEN');
    expect(said(await scene.call(ada, 'POST', '/users'))).toBe('409 LEAVING');
    expect(said(await scene.call(bob, 'POST', '/users'))).toBe('400 ALREADY_JOINED');

    await runSocialJobs(scene);
    await runDueJobs(scene, 'chat');
    expect(await tracesLater(scene, ada)).toEqual([]);
    await talk.afterwards();
    expect(await scene.ask(bob, 'GET', `/posts/${his}`)).toMatchObject({
      likeCount: 0,
      replyCount: 0,
      repostCount: 0,
      quoteCount: 0,
      upvoteCount: 1,
      downvoteCount: 0,
      score: 1,
      mentions: [carl.memberId],
    });
    expect(await scene.ask(bob, 'GET', '/users/bob')).toMatchObject({ followerCount: 0, followingCount: 0 });
    expect((await scene.ask(bob, 'GET', '/bookmarks')).posts).toEqual([]);
    expect(await scene.ask(bob, 'GET', `/posts/${quote['_id']}`)).toMatchObject({ quotedPost: null });
    expect(await scene.ask(bob, 'GET', `/posts/${below}/thread`)).toMatchObject({ rootPost: { _id: below } });
    expect((await scene.ask(carl, 'GET', '/follow-requests')).requests).toEqual([]);

    const later = await scene.post(bob, 'Where is @ada?');
    expect(await scene.ask(bob, 'GET', `/posts/${later}`)).toMatchObject({ mentions: [] });
    expect((await scene.call(ada, 'POST', '/users')).status).toBe(201);
    expect(await scene.ask(bob, 'GET', '/users/ada')).toMatchObject({
      postCount: 0,
      followerCount: 0,
      following: 'no',
    });
    expect((await scene.ask(ada, 'GET', '/notifications')).notifications).toEqual([]);
  });

  it('takes a member out of hubs, but not out of their own', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    const chief = await scene.house.administrator();
    const { _id: hub } = await scene.ask(bob, 'POST', '/hubs', { name: 'Garden' });
    await scene.ask(ada, 'POST', `/hubs/${hub}/join`, {});
    await scene.ask(bob, 'POST', `/hubs/${hub}/warn`, { userId: ada.memberId, reason: 'x' });
    await scene.ask(bob, 'POST', `/hubs/${hub}/moderators`, { userId: ada.memberId });
    await scene.ask(chief, 'POST', `/hubs/${hub}/join`, {});
    await scene.ask(ada, 'POST', `/hubs/${hub}/warn`, { userId: chief.memberId, reason: 'y' });
    const dan = await scene.house.register({ username: 'dan' });
    await scene.ask(ada, 'POST', `/hubs/${hub}/ban`, { userId: dan.memberId });
    const { _id: other } = await scene.ask(bob, 'POST', '/hubs', { name: 'No garden' });
    await scene.ask(ada, 'POST', `/hubs/${other}/join`, {});
    await scene.ask(bob, 'POST', `/hubs/${other}/ban`, { userId: ada.memberId, reason: 'x' });
    const his = await scene.post(bob, 'In the hub', { hubIds: [hub] });
    const hers = await scene.post(ada, `Too ${word}`, { hubIds: [hub] });
    await scene.ask(ada, 'POST', `/posts/${his}/upvote`);
    await scene.ask(bob, 'POST', `/posts/${hers}/upvote`);
    const { _id: own } = await scene.ask(ada, 'POST', '/hubs', { name: 'Own' });
    expect(said(await leave(scene, ada))).toBe('409 OWNS_HUBS');
    expect((await scene.ask(bob, 'GET', '/users/ada')).username).toBe('ada');
    await scene.ask(ada, 'DELETE', `/hubs/${own}`, {});
    expect((await leave(scene, ada)).status).toBe(202);
    const { items } = await scene.ask(bob, 'GET', `/hubs/${hub}/members-list`);
    expect(items.map((one: { username: string }) => one.username)).not.toContain('ada');
    await runSocialJobs(scene);
    expect(await tracesLater(scene, ada)).toEqual([]);
    expect(await scene.ask(bob, 'GET', `/hubs/${hub}`)).toMatchObject({ hub: { memberCount: 2, postCount: 1 } });
    const { leaderboard } = await scene.ask(bob, 'GET', `/hubs/${hub}/leaderboard`);
    expect(leaderboard).toMatchObject([{ userId: bob.memberId, score: 0, upvotesReceived: 0 }]);
    const log = await scene.house.ctx.db.selectFrom('room_log').select(['actor_id', 'subject_id']).execute();
    expect(log).toContainEqual({ actor_id: '', subject_id: chief.memberId });
    const { bannedUsers } = await scene.ask(bob, 'GET', `/hubs/${hub}/banned`);
    expect(bannedUsers).toMatchObject([{ userId: dan.memberId }]);
    expect(bannedUsers[0]).not.toHaveProperty('bannedBy');
  });

  it('ends replies that are kept for a repeat, and uploads on their way', async () => {
    await using scene = await openSocial(engine);
    const { house } = scene;
    const ada = await house.register({ username: 'ada' });
    const post = async () =>
      await house.api('POST', '/api/social/posts', {
        token: ada.token,
        body: { content: `Own ${word}` },
        headers: { 'idempotency-key': 'once' },
      });
    expect((await post()).status).toBe(201);
    const upload = async () =>
      await house.api('POST', '/api/social/media', {
        token: ada.token,
        rawBody: new Uint8Array(gif(16, 16, (x) => x > 8)),
        headers: { 'content-type': 'image/gif' },
      });
    const left = house.meanwhile(async () => {
      // Between the reservation of an upload and its end.
      house.meanwhile(async () => expect((await leave(scene, ada)).status).toBe(202));
    });
    expect(said(await upload())).toBe('403 FORBIDDEN');
    expect(left()).toBe(true);
    expect(said(await upload())).toBe('403 FORBIDDEN');
    await runSocialJobs(scene);
    await scene.ask(ada, 'POST', '/users', {});
    expect(said(await post())).toBe('409 IDEMPOTENCY_REPLY_NOT_KEPT');
    expect((await leave(scene, ada)).status).toBe(202);
    await runSocialJobs(scene);
    expect(await tracesLater(scene, ada)).toEqual([]);
    expect([(await house.ctx.blocks.stat()).blocks, await bytesOf(house.ctx.db, ada.memberId)]).toEqual([0, 0]);
  });

  it('is the end of every way into a hub', async () => {
    await using scene = await openSocial(engine);
    const { house } = scene;
    const [ada, bob] = [await house.register({ username: 'ada' }), await house.register({ username: 'bob' })];
    const hubs: string[] = [];
    for (const trustTier of ['open', 'encrypted']) {
      house.clock.advance(1);
      const { _id: id } = await scene.ask(bob, 'POST', '/hubs', { name: 'Garden', trustTier });
      hubs.push(id);
    }
    // The first comes between the check and the transaction of a join.
    const came = house.meanwhile(async () => expect((await leave(scene, ada)).status).toBe(202));
    expect(said(await scene.call(ada, 'POST', `/hubs/${hubs[1]}/join`, {}))).toBe('403 FORBIDDEN');
    expect(came()).toBe(true);
    for (const hub of hubs) {
      expect(said(await scene.call(ada, 'POST', `/hubs/${hub}/join`, {}))).toBe('403 FORBIDDEN');
      const path = `/hubs/${hub}`;
      expect(said(await scene.call(bob, 'POST', `${path}/members`, { userIds: ['ada'] }))).toBe('404 MEMBER_NOT_FOUND');
      expect(said(await scene.call(bob, 'POST', `${path}/transfer`, { newOwnerId: 'ada' }))).toBe(
        '404 MEMBER_NOT_FOUND',
      );
    }
    for (const trustTier of ['open', 'encrypted'])
      expect(said(await scene.call(ada, 'POST', '/hubs', { name: 'Own', trustTier }))).toBe('403 FORBIDDEN');
    const rows = await house.ctx.db.selectFrom('room_members').select('member_id').execute();
    expect(rows.map((row) => row.member_id)).toEqual([bob.memberId, bob.memberId]);
    expect(await house.ctx.db.selectFrom('social_hubs').select('id').execute()).toHaveLength(2);
  });

  it('that fails on the way leaves a member of the network, who goes on by asking again', async () => {
    await using scene = await openSocial(engine);
    const { house } = scene;
    const [ada, bob] = [await house.register({ username: 'ada' }), await house.register({ username: 'bob' })];
    for (const trustTier of ['encrypted', 'open', 'encrypted']) {
      house.clock.advance(1);
      const { _id: id } = await scene.ask(bob, 'POST', '/hubs', { name: 'Garden', trustTier });
      await scene.ask(ada, 'POST', `/hubs/${id}/join`, {});
    }
    const epochs = async () =>
      (await house.ctx.db.selectFrom('room_key_epochs').select('epoch').execute()).map(({ epoch }) => epoch).toSorted();
    /** Spoils a transaction that comes after so many others. */
    const spoilAfter = (others: number): void => {
      if (others === 0) house.spoil();
      else house.meanwhile(async () => spoilAfter(others - 1));
    };
    const before = await epochs();
    const rooms: number[] = [];
    for (const others of [1, 2, 2]) {
      spoilAfter(others);
      expect(said(await leave(scene, ada))).toBe('500 INTERNAL_ERROR');
      // A failure takes nothing half: a hub that was left has a new key, and the profile goes last.
      expect((await scene.ask(bob, 'GET', '/users/ada')).username).toBe('ada');
      const { length } = await house.ctx.db
        .selectFrom('room_members')
        .select('room_id')
        .where('member_id', '=', ada.memberId)
        .execute();
      rooms.push(length);
      expect(await epochs()).toHaveLength(before.length + 3 - length);
    }
    expect(rooms).toEqual([3, 2, 1]);
    expect((await leave(scene, ada)).status).toBe(202);
    await runSocialJobs(scene);
    expect(await tracesLater(scene, ada)).toEqual([]);
    expect(await house.ctx.db.selectFrom('room_members').select('member_id').distinct().execute()).toEqual([
      { member_id: bob.memberId },
    ]);
    expect(await epochs()).toHaveLength(before.length + 2);
  });

  it('goes on in batches where it stopped', { tags: 'soak' }, async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    const ids: string[] = [];
    for (let at = 0; at < 60; at += 1) ids.push(await scene.post(bob, `Post ${at}`));
    for (const id of ids) await scene.ask(ada, 'POST', `/posts/${id}/like`);
    for (const id of ids.slice(0, 25)) await scene.post(ada, `Reply ${word}`, { parentPostId: id });
    await leave(scene, ada);
    scene.house.spoil();
    await runSocialJobs(scene);
    scene.house.clock.advance(3_600_000);
    await runSocialJobs(scene);
    expect(await tracesLater(scene, ada)).toEqual([]);
    const counts = await scene.house.ctx.db.selectFrom('social_posts').select(['like_count', 'reply_count']).execute();
    expect(counts).toHaveLength(60);
    expect(counts.every((row) => row.like_count === 0 && row.reply_count === 0)).toBe(true);
  });
});
