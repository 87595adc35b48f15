import { describe, expect, it } from 'vitest';
import { openHouse } from '../../support/house.ts';
import { bothEngines } from '../../support/stores.ts';
import { runSocialScenario } from './social-scenario.ts';

describe.each(bothEngines)('the life of posts on %s', (engine) => {
  it('uses every documented operation with success', async () => {
    await using house = await openHouse(engine);
    const [ada, bob] = [await house.register({ username: 'ada' }), await house.register({ username: 'bob' })];
    await runSocialScenario(house.fetch, 'http://house.test', { ada, bob, administrator: await house.administrator() });
    const posts = await house.ctx.db.selectFrom('social_posts').select(['kind', 'deleted_at']).execute();
    const live = posts.filter((row) => row.deleted_at === null).map(({ kind }) => kind);
    expect(live.toSorted()).toEqual(['quote', 'reply']);
  });
});
