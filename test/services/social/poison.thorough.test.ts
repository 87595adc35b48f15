import { describe, expect, it } from 'vitest';
import { likeNoticesHandler } from '../../../src/services/social/posts/like-notices.ts';
import { importHandler } from '../../../src/services/social/transfer/import-job.ts';
import type { RunningJob } from '../../../src/platform/store/jobs/jobs.ts';
import { poisonRow } from '../../support/poison-row.ts';
import { engines } from '../../support/stores.ts';
import { contents } from '../notifications/notifying.ts';
import { runSocialJobs } from './due-jobs.ts';
import { openMessages } from './messages/scene.ts';
import { openSocial, said, type SocialScene } from './scene.ts';

function tryOf(attempt: number): RunningJob {
  return { id: 'any', attempt, signal: new AbortController().signal, finish: async () => {} };
}

const errors = ({ house }: SocialScene) => house.log.lines.filter((line) => line['level'] === 'error');

describe.each(engines)('one item that always fails, on %s', (engine) => {
  it('of the likes to tell of: the others are told of at once, and it goes untold in the end', async () => {
    await using scene = await openSocial(engine);
    const [bad, ada, bob] = [
      await scene.house.register({ username: 'bad' }),
      await scene.house.register({ username: 'ada' }),
      await scene.house.register({ username: 'bob' }),
    ];
    await poisonRow(scene.house.ctx.store, 'notifications', 'insert', `new.recipient_id = '${bad.memberId}'`);
    for (const author of [bad, ada]) {
      const id = await scene.post(author, 'Tea is ready');
      await scene.ask(bob, 'POST', `/posts/${id}/like`);
    }
    const untold = async () => await scene.house.ctx.db.selectFrom('social_untold_likes').select('author_id').execute();
    await runSocialJobs(scene);
    expect(await contents(scene.house, ada)).toEqual(['bob likes your post.']);
    expect(await untold()).toEqual([{ author_id: bad.memberId }]);
    // Its last try.
    await likeNoticesHandler(scene.house.ctx)(null, tryOf(3));
    expect(await untold()).toEqual([]);
    expect(errors(scene)).toMatchObject([{ authorId: bad.memberId }]);
  });

  it('of the lines of an import: the others come, and the report names it', async () => {
    const config = { social: { rss: false, publicUrl: 'https://home.example' } };
    await using scene = await openSocial(engine, { config });
    const [ada, bad] = [
      await scene.house.register({ username: 'ada' }),
      await scene.house.register({ username: 'bad' }),
      await scene.house.register({ username: 'eve' }),
    ];
    await poisonRow(scene.house.ctx.store, 'member_blocks', 'insert', `new.blocked_id = '${bad.memberId}'`);
    const rawBody = 'bad@home.example\r\neve@home.example\r\n';
    const headers = { 'content-type': 'text/csv' };
    await scene.house.api('POST', '/api/social/import/blocks', { token: ada.token, rawBody, headers });
    const job = await scene.house.ctx.db
      .selectFrom('jobs')
      .selectAll()
      .where('kind', '=', 'social-import')
      .executeTakeFirstOrThrow();
    const run = async (attempt: number) =>
      await importHandler(scene.house.ctx)(JSON.parse(job.payload), tryOf(attempt));
    await expect(run(1)).rejects.toThrow('poisoned by a test');
    await run(3);
    const { import: report } = await scene.ask(ada, 'GET', '/import');
    expect(report).toMatchObject({ state: 'done', imported: 1, refusedCount: 1 });
    expect(report.refused).toMatchObject([{ line: 1, reason: 'INTERNAL_ERROR' }]);
    expect(errors(scene)).toHaveLength(1);
    expect(await scene.ask(ada, 'GET', '/users/eve')).toMatchObject({ username: 'eve' });
  });

  it('of the conversations of a member who leaves: the others are erased with all else, and it is tried again', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo, house } = scene;
    const groups: string[] = [];
    for (const others of [[bob], [bob, cleo], [cleo]]) {
      house.clock.advance(1);
      groups.push(await scene.group(ann, ...others));
    }
    house.clock.advance(1);
    const pair = await scene.friends(ann, bob);
    const post = await scene.post(ann, 'Tea is ready');
    const [bad = ''] = groups.toSorted();
    await poisonRow(house.ctx.store, 'conversation_places', 'delete', 'old.pinned = 1');
    const { db } = house.ctx;
    const pin = async (pinned: number) =>
      await db.updateTable('conversation_places').set({ pinned }).where('conversation_id', '=', bad).execute();
    const places = async () =>
      (await db.selectFrom('conversation_places').selectAll().where('member_id', '=', ann.memberId).execute()).map(
        (row) => row.conversation_id,
      );
    await pin(1);
    expect(await places()).toHaveLength(4);
    await scene.call(ann, 'DELETE', `/users/${ann.memberId}`, { password: ann.password });
    await runSocialJobs(scene);
    expect(await places()).toEqual([bad]);
    expect(said(await scene.at(bob, 'GET', `/conversations/${pair}`))).toBe('404 CONVERSATION_NOT_FOUND');
    expect(await db.selectFrom('social_posts').select('id').where('id', '=', post).execute()).toEqual([]);
    expect(errors(scene)).toMatchObject([
      { message: 'erasing what a member has in a conversation failed; the others go on', id: bad },
    ]);
    expect(said(await scene.call(ann, 'POST', '/users'))).toBe('409 LEAVING');
    await pin(0);
    house.clock.advance(3_600_000);
    await runSocialJobs(scene);
    expect(await places()).toEqual([]);
    expect((await scene.call(ann, 'POST', '/users')).status).toBe(201);
  });
});
