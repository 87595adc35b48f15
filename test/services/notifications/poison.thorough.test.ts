import { describe, expect, it } from 'vitest';
import { searchMergeKind } from '../../../src/platform/store/search/merge-kind.ts';
import { transaction } from '../../../src/service/context.ts';
import { notifyMany } from '../../../src/shared/notifications/many.ts';
import type { House } from '../../support/house.ts';
import { openHouse } from '../../support/house.ts';
import { poisonRow } from '../../support/poison-row.ts';
import { engines } from '../../support/stores.ts';
import { openMail } from '../mail/scene.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { call, notified } from './notifying.ts';
import { jobRows, openPushScene, subscriptionRows } from './push-scene.ts';

const DAY = 24 * 3_600_000;

/** So many tries as a server makes in hours. */
async function tries(house: House, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) {
    await runDueJobs({ house }, 'notifications');
    house.clock.advance(3_600_000);
  }
}

/** Members in the order of their ids, of whom the first can't be notified. */
async function castOf(house: House, count: number): Promise<[bad: string, ...others: string[]]> {
  const members = await Promise.all(Array.from({ length: count }, async () => (await house.register()).memberId));
  const [bad = '', ...others] = members.toSorted();
  await poisonRow(house.ctx.store, 'notifications', 'insert', `new.recipient_id = '${bad}'`);
  return [bad, ...others];
}

const told = async ({ ctx }: House) =>
  (await ctx.db.selectFrom('notifications').select('recipient_id').orderBy('recipient_id').execute()).map(
    (row) => row.recipient_id,
  );
const errors = ({ log }: House, message: string) =>
  log.lines.filter((line) => line['level'] === 'error' && String(line['message']).startsWith(message));

describe.each(engines)('one that always fails, on %s', (engine) => {
  it('of many who are notified of one thing: the others are, and the log says who is not', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const [bad, ...others] = await castOf(house, 27);
    const about = { type: 'mention', targetId: 'post', content: 'You were mentioned.' } as const;
    await transaction(house.ctx, async (tx) => await notifyMany(tx, [bad, ...others], about));
    await tries(house, 8);
    expect(await told(house)).toEqual(others);
    expect(errors(house, 'notifying a member failed')).toMatchObject([{ items: [bad] }]);
    // Merges of the index of words come and go by themselves.
    const jobs = house.ctx.db.selectFrom('jobs').selectAll().where('kind', '!=', searchMergeKind);
    expect(await jobs.execute()).toEqual([]);
  });

  it('of those who are reminded: the others are', async () => {
    await using house = await openHouse(engine);
    const administrator = await house.administrator();
    const [bad, ...others] = await castOf(house, 3);
    const since = house.clock.now() - 100 * DAY;
    await house.ctx.db
      .updateTable('member_profiles')
      .set({ last_active: since })
      .where('member_id', 'in', [bad, ...others])
      .execute();
    await call(house, administrator, 'POST', '/reconnect-reminders', { inactiveDays: 99 });
    await tries(house, 8);
    expect(await told(house)).toEqual(others);
    expect(errors(house, 'reminding a member failed')).toHaveLength(1);
  });

  it('of the digests: the others come, and its job says why it waits', async () => {
    await using scene = await openMail(engine, { context: { notificationRules: [] } });
    const { house } = scene;
    const [bad, good] = [await scene.join('bad'), await scene.join('good')];
    await poisonRow(house.ctx.store, 'mail_items', 'insert', `new.member_id = '${bad.memberId}'`);
    for (const { memberId: recipientId } of [bad, good]) {
      await notified(house, { recipientId, type: 'mention', content: 'One' });
      house.clock.advance(1);
    }
    house.clock.advance(3_600_000);
    await runDueJobs(scene, 'notifications');
    expect((await scene.ask(good, 'GET', '/inbox', undefined, 200)).body.data.total).toBe(1);
    const jobs = await house.ctx.db.selectFrom('jobs').selectAll().where('kind', '=', 'notification-digest').execute();
    expect(jobs).toMatchObject([{ id: `notification-digest/${bad.memberId}`, attempts: 1 }]);
    expect(jobs[0]?.last_error).toContain('poisoned by a test');
    // Nothing of it is lost, or left behind.
    expect(await house.ctx.db.selectFrom('notifications').select('id').where('digest', '=', 1).execute()).toHaveLength(
      1,
    );
    expect(await house.ctx.db.selectFrom('mail_contents').select('id').execute()).toHaveLength(1);
  });

  it('of the browsers: the others get their messages, and they come again, each by itself', async () => {
    await using scene = await openPushScene(engine);
    const { house, service } = scene;
    const [bad, good] = [await house.register(), await house.register()];
    for (let left = 4; left > 0; left -= 1) await scene.subscribe(bad);
    service.answers.push('hang', 500, 500, 500);
    await notified(house, { recipientId: bad.memberId, type: 'mention', content: 'Bad' });
    house.clock.advance(1);
    const { path } = await scene.subscribe(good);
    await notified(house, { recipientId: good.memberId, type: 'mention', content: 'Good' });
    await scene.deliver();
    expect(scene.came()).toContainEqual([path, 'Good']);
    expect((await jobRows(scene)).map(({ payload }) => (JSON.parse(payload) as { tries: number }).tries)).toEqual([
      1, 1, 1, 1,
    ]);
    expect(await subscriptionRows(scene)).toHaveLength(5);
  });
});
