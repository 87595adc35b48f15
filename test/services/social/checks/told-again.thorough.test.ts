import { describe, expect, it } from 'vitest';
import { openPushService } from '../../../shared/notifications/push-service.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';
import { engines } from '../../../support/stores.ts';
import { ask, contents } from '../../notifications/notifying.ts';
import { runDueJobs } from '../../quorum/due-jobs.ts';
import { openSocial, type SocialScene } from '../scene.ts';

async function cast<Name extends string>({ house }: SocialScene, ...names: Name[]): Promise<Record<Name, HouseMember>> {
  const members: [string, HouseMember][] = [];
  for (const username of names) members.push([username, await house.register({ username })]);
  return Object.fromEntries(members) as Record<Name, HouseMember>;
}

describe.each(engines)('check 23, what is told later, on %s', (engine) => {
  it('is what its reader may see then: held back, pushed, and in the digest', async () => {
    await using service = await openPushService();
    await using scene = await openSocial(engine, { context: { outgoing: service.outgoing } });
    const { house } = scene;
    const { ada, bob, dan, eve, fay } = await cast(scene, 'ada', 'bob', 'dan', 'eve', 'fay');
    await ask(house, ada, 'POST', '/push-subscriptions', service.browser().subscription);
    const deliver = async () => await runDueJobs(scene, 'notifications');
    const { _id: hubId } = await scene.ask(fay, 'POST', '/hubs', { name: 'Tea' });
    await scene.ask(ada, 'POST', `/hubs/${hubId}/join`, {});
    await ask(house, ada, 'POST', '/preferences/dnd', { enabled: true });

    await scene.post(bob, 'For @ada, and then for followers alone');
    await scene.post(fay, 'For @ada in the hub', { hubIds: [hubId] });
    await scene.follow(eve, ada);
    await scene.post(dan, 'For @ada, and it stays so');
    await deliver();
    await scene.protect(bob);
    await scene.ask(fay, 'POST', `/hubs/${hubId}/ban`, { userId: ada.memberId });
    await scene.suspend(eve);
    const held = await house.ctx.db.selectFrom('notifications').select('type').where('held', '=', 1).execute();
    expect(held.map(({ type }) => type).toSorted()).toEqual([
      'follow',
      'hub_moderation',
      'mention',
      'mention',
      'mention',
    ]);

    await ask(house, ada, 'POST', '/preferences/dnd', { enabled: false });
    const shown = (await contents(house, ada)).toSorted();
    expect(shown).toHaveLength(2);
    expect(shown.join('\n')).toMatch(/dan mentioned/);
    expect(await ask(house, ada, 'GET', '/unread-count')).toEqual({ unreadCount: 2 });
    await deliver();
    const pushed = service.received.splice(0).map(({ message }) => message?.content);
    expect(pushed.toSorted()).toEqual(shown);

    // The same for what waits for nothing: between the notification and its message.
    const { gus } = await cast(scene, 'gus');
    await scene.follow(gus, ada);
    await scene.suspend(gus);
    await deliver();
    expect(service.received).toEqual([]);
    house.clock.advance(3_600_000);
    await deliver();
    const { emails } = (await house.api('GET', '/api/emails/inbox', { token: ada.token })).body.data;
    expect(emails.map(({ subject }: { subject: string }) => subject)).toEqual(['You have 2 unread notifications']);
  });

  it('is pushed once of a post, whose edits take a name out and put it in again', async () => {
    await using service = await openPushService();
    await using scene = await openSocial(engine, { context: { outgoing: service.outgoing } });
    const { house } = scene;
    const { ada, bob } = await cast(scene, 'ada', 'bob');
    await ask(house, ada, 'POST', '/push-subscriptions', service.browser().subscription);
    const id = await scene.post(bob, 'For @ada');
    const edited = async (content: string) => {
      await scene.ask(bob, 'PUT', `/posts/${id}`, { content });
      await runDueJobs(scene, 'notifications');
      return (await contents(house, ada)).length;
    };
    expect(await edited('For @ada here')).toBe(1);
    expect(service.received.splice(0)).toHaveLength(1);
    for (let times = 0; times < 3; times += 1) {
      expect(await edited('For nobody')).toBe(0);
      expect(await edited('For @ada')).toBe(1);
    }
    expect(service.received).toEqual([]);
    expect(await edited('For @ada and @bob')).toBe(1);
  });
});
