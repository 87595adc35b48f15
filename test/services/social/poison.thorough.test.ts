import { describe, expect, it } from 'vitest';
import { likeNoticesHandler } from '../../../src/services/social/posts/like-notices.ts';
import { importHandler } from '../../../src/services/social/transfer/import-job.ts';
import type { RunningJob } from '../../../src/platform/store/jobs/jobs.ts';
import { poisonRow } from '../../support/poison-row.ts';
import { engines } from '../../support/stores.ts';
import { contents } from '../notifications/notifying.ts';
import { runSocialJobs } from './due-jobs.ts';
import { openSocial, type SocialScene } from './scene.ts';

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
    const { import: said } = await scene.ask(ada, 'GET', '/import');
    expect(said).toMatchObject({ state: 'done', imported: 1, refusedCount: 1 });
    expect(said.refused).toMatchObject([{ line: 1, reason: 'INTERNAL_ERROR' }]);
    expect(errors(scene)).toHaveLength(1);
    expect(await scene.ask(ada, 'GET', '/users/eve')).toMatchObject({ username: 'eve' });
  });
});
