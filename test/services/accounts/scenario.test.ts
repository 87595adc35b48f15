import { describe, expect, it } from 'vitest';
import { runAccountScenario } from './account-scenario.ts';
import { openHouse } from '../../support/house.ts';
import { bothEngines } from '../../support/stores.ts';

describe.each(bothEngines)('the life of an account, in process, on %s', (engine) => {
  it('goes from registration to recovery over the app', async () => {
    await using house = await openHouse(engine);
    await runAccountScenario(house.fetch, 'http://house.test', 'scenario');
    expect(house.log.lines.filter((line) => line['level'] === 'error')).toEqual([]);
  });

  it('goes the same way over the app of the control socket', async () => {
    await using house = await openHouse(engine);
    await runAccountScenario(house.trustedFetch, 'http://house.test', 'scenario');
    expect(house.log.lines.filter((line) => line['level'] === 'error')).toEqual([]);
  });
});
