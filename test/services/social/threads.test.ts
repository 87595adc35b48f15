import { describe, expect, it } from 'vitest';
import { socialLimits } from '../../../src/contract/social/limits.ts';
import { engines } from '../../support/stores.ts';
import { postRow, storePosts } from './filled.ts';
import { openSocial, said } from './scene.ts';
import { idsOf } from './walk.ts';

describe.each(engines)('a long conversation on %s', (engine) => {
  it('comes in pages, on which what is below a hidden reply of an earlier page stays hidden', async () => {
    await using scene = await openSocial(engine);
    const [ada, bob, eve] = [await scene.house.register(), await scene.house.register(), await scene.house.register()];
    const root = await scene.post(ada, 'Root');
    const reply = async (who: typeof ada, parentPostId: string) => await scene.post(who, 'Reply', { parentPostId });
    const [one, ofEve] = [await reply(bob, root), await reply(eve, root)];
    const below = [await reply(ada, one), await reply(bob, ofEve), await reply(ada, root)] as const;
    const deepest = await reply(bob, below[1]);
    const path = `/posts/${root}/thread`;
    const all = [one, ofEve, ...below, deepest];
    for (const limit of [1, 2, 5]) expect(await idsOf(scene, ada, path, { limit })).toEqual(all);
    await scene.ask(ada, 'POST', `/users/${eve.memberId}/block`, {});
    const left = [one, below[0], below[2]];
    for (const limit of [1, 2, 5]) expect(await idsOf(scene, ada, path, { limit })).toEqual(left);
    const { cursor, ...first } = await scene.ask(ada, 'GET', `${path}?limit=1`);
    expect(first).toMatchObject({ rootPost: { _id: root }, replyCount: 1, participantCount: 2, hasMore: true });
    for (const [who, other] of [
      [bob, path],
      [ada, `/posts/${one}/thread`],
    ] as const)
      expect(said(await scene.call(who, 'GET', `${other}?cursor=${cursor}`))).toBe('400 INVALID_CURSOR');
  });

  it('begins with the post that is asked for where it would not be on the first page', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register();
    const root = await scene.post(ada, 'Root');
    const at = scene.house.clock.now();
    const rows = Array.from({ length: socialLimits.thread }, (_, index) =>
      postRow({
        author_id: ada.memberId,
        created_at: at + index + 1,
        kind: 'reply',
        parent_id: root,
        root_id: root,
        depth: 1,
      }),
    );
    await storePosts(scene.house, rows);
    scene.house.clock.advance(socialLimits.thread + 1);
    const last = rows.at(-1)!.id;
    expect((await scene.ask(ada, 'GET', `/posts/${last}/thread`)).rootPost['_id']).toBe(root);
    const far = await scene.post(ada, 'Far', { parentPostId: root });
    const below = await scene.post(ada, 'Below', { parentPostId: far });
    const whole = await scene.ask(ada, 'GET', `/posts/${root}/thread`);
    expect(whole).toMatchObject({ replyCount: socialLimits.thread, hasMore: true });
    expect(await scene.ask(ada, 'GET', `/posts/${far}/thread`)).toMatchObject({
      rootPost: { _id: far },
      replies: [{ _id: below }],
      hasMore: false,
    });
    expect(await idsOf(scene, ada, `/posts/${root}/thread`, { limit: 100 })).toEqual([
      ...rows.map(({ id }) => id),
      far,
      below,
    ]);
  });
});
