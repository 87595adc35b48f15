import { describe, expect, it } from 'vitest';
import { openHouse } from '../../support/house.ts';
import { bothEngines } from '../../support/stores.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { runCalendarScenario } from './calendar-scenario.ts';

describe.each(bothEngines)('the life of a calendar on %s', (engine) => {
  it('uses the documented operations with success', async () => {
    await using house = await openHouse(engine);
    const [ada, bob] = [await house.register({ username: 'ada' }), await house.register({ username: 'bob' })];
    const id = await runCalendarScenario(house.fetch, 'http://house.test', { ada, bob });
    await runDueJobs({ house }, 'calendar');
    const { db } = house.ctx;
    expect(await db.selectFrom('calendar_objects').select('id').execute()).toEqual([{ id }]);
    const instances = await db.selectFrom('event_runs').select('start_at').orderBy('start_at').execute();
    expect(instances.map(({ start_at: at }) => new Date(at).toISOString().slice(0, 13))).toEqual(['2026-03-30T07']);
    expect(await db.selectFrom('calendar_shares').select('id').execute()).toEqual([]);
  });
});
