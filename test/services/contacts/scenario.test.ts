import { describe, expect, it } from 'vitest';
import { openHouse } from '../../support/house.ts';
import { bothEngines } from '../../support/stores.ts';
import { runContactsScenario } from './contacts-scenario.ts';

describe.each(bothEngines)('the life of a contact on %s', (engine) => {
  it('uses every operation with success', async () => {
    await using house = await openHouse(engine);
    const id = await runContactsScenario(house.fetch, 'http://house.test', await house.register());
    expect(await house.ctx.db.selectFrom('contact_cards').select('id').execute()).toEqual([{ id }]);
  });
});
