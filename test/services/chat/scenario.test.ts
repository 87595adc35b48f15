import { describe, expect, it } from 'vitest';
import { openHouse } from '../../support/house.ts';
import { bothEngines } from '../../support/stores.ts';
import { runChatScenario } from './chat-scenario.ts';

describe.each(bothEngines)('the life of a conversation on %s', (engine) => {
  it('uses every documented operation with success', async () => {
    await using house = await openHouse(engine);
    const [ada, bob] = [await house.register({ username: 'ada' }), await house.register({ username: 'bob' })];
    await runChatScenario(house.fetch, 'http://house.test', { ada, bob });
    const { db } = house.ctx;
    expect(await db.selectFrom('conversations').select(['type', 'last_seq']).execute()).toEqual([
      { type: 'group', last_seq: 2 },
    ]);
    expect(
      await db.selectFrom('conversation_messages').select('id').where('deleted_at', 'is', null).execute(),
    ).toHaveLength(1);
  });
});
