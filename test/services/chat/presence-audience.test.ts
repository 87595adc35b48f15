import { describe, expect, it } from 'vitest';
import type { Context } from '../../../src/service/context.ts';
import { chatLimits } from '../../../src/contract/chat/limits.ts';
import { audienceOf } from '../../../src/shared/presence/audience.ts';
import { watchMembers } from '../../../src/shared/presence/statuses.ts';
import { listenerOf } from '../../platform/realtime/hearing.ts';
import { plansOf } from '../../support/plans.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines } from '../../support/stores.ts';
import { channelOf, groupOf } from './chat-scene.ts';
import { openPresence } from './presence-scene.ts';

const { restMs, tellsPresence, receivers, receiversAtOnce } = chatLimits;

/** What shows that an engine looks through all who are in any conversation. */
const everybody = {
  sqljs: /SCAN (?:a|b|room_members)\b|room_members_joined \(kind=\?\)|AUTOMATIC/,
  postgres:
    /Seq Scan on room_members|on room_members(?: [ab])? .*\n\s*Index Cond: \(kind = '\w+'::text(?: COLLATE "C")?\)/,
} as const;

describe.each(bothEngines)('who is told of presence on %s', (engine) => {
  it('is looked for from the member whose it is, and not among all members of conversations', async () => {
    await using scene = await openPresence(engine);
    const { ann, bob, cleo, house } = scene.scene;
    await channelOf(house, [ann, bob, cleo]);
    await groupOf(house, [ann, bob]);
    for (const who of [ann, bob, cleo]) scene.come(who);
    await watchMembers(house.ctx, listenerOf(cleo.memberId), [ann.memberId]);
    const run = async (ctx: Context) => {
      const { receivers: found } = await audienceOf(ctx, [ann.memberId]);
      expect([...found.keys()].toSorted()).toEqual([ann, bob, cleo].map(({ memberId }) => memberId).toSorted());
    };
    const plan = await plansOf(scene.scene, run, true);
    expect(plan).toContain('room_members_member');
    expect(plan).not.toMatch(everybody[engine]);
  });

  it('are those in the conversations with the newest activity, until they are so many, and those who watch', async () => {
    await using scene = await openPresence(engine);
    const { ann, bob, cleo, house } = scene.scene;
    const { db } = house.ctx;
    const together = async (who: HouseMember, size: number): Promise<void> => {
      const id = await groupOf(house, [ann, who]);
      await db.updateTable('rooms').set({ member_count: size }).where('id', '=', id).execute();
      house.clock.advance(1);
    };
    const dan = await house.register();
    await together(cleo, tellsPresence);
    for (let left = receivers / tellsPresence - 1; left > 0; left -= 1) await together(dan, tellsPresence);
    await together(bob, tellsPresence);
    for (const who of [ann, bob, cleo, dan]) scene.come(who);
    const [bobHears, cleoHears] = [await scene.inbox(bob), await scene.inbox(cleo)];
    await scene.pass(restMs);
    await scene.told(() => expect(scene.heard(bobHears)).toEqual(['ann online, bob online']));
    expect(scene.heard(cleoHears)).toEqual(['cleo online']);
    await watchMembers(house.ctx, listenerOf(cleo.memberId), [ann.memberId]);
    await scene.set(ann, 'idle');
    await scene.pass(restMs);
    await scene.told(() => expect(scene.heard(cleoHears).slice(1)).toEqual(['ann idle']));
  });

  it('are told in steps of those of some, where many come at once', async () => {
    await using scene = await openPresence(engine);
    const { ann, bob, cleo, house } = scene.scene;
    const all = [ann, bob, cleo];
    const atOnce = receiversAtOnce / receivers;
    while (all.length < atOnce + 2) all.push(await house.register());
    for (let left = receivers / tellsPresence; left > 0; left -= 1) await groupOf(house, all);
    await house.ctx.db.updateTable('rooms').set({ member_count: tellsPresence }).execute();
    for (const who of all) scene.come(who);
    const inbox = await scene.inbox(ann);
    await scene.pass(restMs);
    const numbers = () => scene.heard(inbox).map((frame) => frame.split(', ').length);
    await scene.told(() => expect(numbers()).toEqual([atOnce, 2]));
    const changed = inbox.heard.flatMap(({ data }) => (data.changes as { memberId: string }[]) ?? []);
    expect(new Set(changed.map(({ memberId }) => memberId)).size).toBe(all.length);
  });
});
