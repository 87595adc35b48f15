import type { NotificationRules } from '../../../src/service/service-parts.ts';
import { describe, expect, it } from 'vitest';
import { transaction } from '../../../src/service/context.ts';
import { manyHandler, notifyMany } from '../../../src/shared/notifications/many.ts';
import type { ManyNotified } from '../../../src/shared/notifications/notify.ts';
import { openHouse, type House } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';
import { runDueHandlers } from '../quorum/due-jobs.ts';
import { contents, notified } from './notifying.ts';

const post: ManyNotified = { type: 'mention', targetId: 'post', content: 'You were mentioned.' };

async function tell({ ctx }: House, recipients: readonly string[], about = post): Promise<void> {
  await transaction(ctx, async (tx) => await notifyMany(tx, recipients, about));
}

async function run({ ctx }: House, notificationRules: readonly NotificationRules[]): Promise<void> {
  await runDueHandlers(ctx, { 'notification-many': await manyHandler({ ...ctx, notificationRules }) });
}

const jobs = async ({ ctx }: House) =>
  await ctx.db.selectFrom('jobs').selectAll().where('kind', '=', 'notification-many').execute();
const recipientsOf = async ({ ctx }: House) =>
  (await ctx.db.selectFrom('notifications').select('recipient_id').orderBy('recipient_id').execute()).map(
    (row) => row.recipient_id,
  );

describe.each(engines)('notifications of many members on %s', (engine) => {
  it('cost the request one row, and are delivered in steps, each once', { tags: 'thorough' }, async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const members = await Promise.all(Array.from({ length: 60 }, async () => await house.register()));
    const ids = members.map(({ memberId }) => memberId);
    const [actorId = ''] = ids;
    // Between them are ids of nobody, as of members who are gone.
    const nobody = Array.from({ length: 172 }, (_, at) => ((at * 11) % 256).toString(16).padStart(2, '0').repeat(12));
    await tell(house, [...ids, ...ids, ...nobody], { ...post, actorId });
    expect(await recipientsOf(house)).toEqual([]);
    expect(await jobs(house)).toHaveLength(1);
    // The third step fails once, and changes nothing twice.
    let asked = 0;
    const sizes: number[] = [];
    const rules: NotificationRules = {
      types: ['mention'],
      visibleTo: async (_ctx, about, some) => {
        asked += 1;
        // It spoils the next transaction.
        if (asked === 2) house.spoil();
        sizes.push(some.length);
        expect(about).toMatchObject({ type: 'mention', targetId: 'post', actorId });
        return new Set(some);
      },
    };
    await run(house, [rules]);
    house.clock.advance(60_000);
    await run(house, [rules]);
    expect(await recipientsOf(house)).toEqual(ids.slice(1).toSorted());
    expect(sizes).toEqual([100, 100, 32, 32]);
    expect(await jobs(house)).toEqual([]);
    const counts = await house.ctx.db.selectFrom('notifications').select('count').distinct().execute();
    expect(counts).toEqual([{ count: 1 }]);
  });

  it('go to those alone who may see the thing when their turn comes', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const [ann, bob, cy] = [await house.register(), await house.register(), await house.register()];
    const hidden = new Set<string>();
    const rules: NotificationRules = {
      types: ['mention'],
      visibleTo: async (_ctx, _about, ids) => new Set(ids.filter((id) => !hidden.has(id))),
    };
    await tell(house, [ann.memberId, bob.memberId, cy.memberId]);
    hidden.add(bob.memberId);
    await house.ctx.db.deleteFrom('members').where('id', '=', cy.memberId).execute();
    await run(house, [rules]);
    expect(await recipientsOf(house)).toEqual([ann.memberId]);
    expect(await contents(house, bob)).toEqual([]);
  });

  it('are none if the transaction fails, and for nobody', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const ann = await house.register();
    house.spoil();
    await expect(tell(house, [ann.memberId])).rejects.toThrow('made by a test');
    await tell(house, []);
    expect(await jobs(house)).toEqual([]);
    const many = Array.from({ length: 1_001 }, (_, index) => index.toString(16).padStart(24, '0'));
    await expect(tell(house, many)).rejects.toThrow('at most 1000 members are notified by their ids');
    await notified(house, { ...post, recipientId: ann.memberId });
    expect(await contents(house, ann)).toEqual(['You were mentioned.']);
  });
});
