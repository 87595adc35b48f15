import { describe, expect, it } from 'vitest';
import { bothEngines } from '../../support/stores.ts';
import { runMailScenario } from './mail-scenario.ts';
import { openMail } from './scene.ts';

describe.each(bothEngines)('the life of mail on %s', (engine) => {
  it('uses every documented operation with success', async () => {
    await using scene = await openMail(engine);
    const [ada, bob] = [await scene.join('ada'), await scene.join('bob')];
    await runMailScenario(scene.house.fetch, 'http://house.test', { ada, bob }, ada.mailbox.domain);
    const { db } = scene.house.ctx;
    // Bob has deleted the message, sent two, and has none in the inbox.
    const rows = await db.selectFrom('mail_items').select('folder').where('member_id', '=', bob.memberId).execute();
    expect(rows.map(({ folder }) => folder)).toEqual(['sent', 'sent']);
  });
});
