import { describe, expect, it } from 'vitest';
import { openHouse } from '../../support/house.ts';
import { bothEngines } from '../../support/stores.ts';
import { runNotificationScenario } from './notification-scenario.ts';

describe.each(bothEngines)('the life of notifications on %s', (engine) => {
  it('uses every documented operation with success', async () => {
    await using house = await openHouse(engine);
    const [administrator, member] = [await house.administrator(), await house.register()];
    await runNotificationScenario(house.fetch, 'http://house.test', { administrator, member });
    const { db } = house.ctx;
    expect(await db.selectFrom('notification_preferences').select('member_id').execute()).toEqual([
      { member_id: member.memberId },
    ]);
  });
});
