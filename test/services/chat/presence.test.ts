import { describe, expect, it } from 'vitest';
import { chatLimits } from '../../../src/contract/chat/limits.ts';
import { presence } from '../../../src/contract/chat/presence.ts';
import { notificationPreferences } from '../../../src/contract/notifications/preferences.ts';
import { watchMembers } from '../../../src/shared/presence/statuses.ts';
import { listenerOf } from '../../platform/realtime/hearing.ts';
import { eventually } from '../../support/eventually.ts';
import { ownStatements } from '../../support/own-statements.ts';
import { poisonRow } from '../../support/poison-row.ts';
import { bothEngines } from '../../support/stores.ts';
import { channelOf, done, groupOf, refused } from './chat-scene.ts';
import { openPresence, openPresenceOfTwo } from './presence-scene.ts';

const { restMs, offlineMs, deadMs, beatMs } = chatLimits;

describe.each(bothEngines)('presence on %s', (engine) => {
  it('is seen by those in a conversation with somebody, and alike of all others', async () => {
    await using scene = await openPresence(engine);
    const { ann, bob, cleo, house } = scene.scene;
    const [eve, stranger] = [await house.register(), await house.register()];
    await groupOf(house, [ann, bob, cleo, eve]);
    for (const who of [ann, bob, cleo, eve, stranger]) scene.come(who);
    await scene.pass(0);
    await scene.set(bob, 'idle');
    expect(await scene.sees(ann, bob, cleo, ann, bob)).toBe('idle online online');
    await scene.scene.block(cleo, ann);
    await scene.scene.suspend(eve);
    const asked = async (of: { readonly memberId: string }) => {
      const { result, statements } = await ownStatements(
        async () => await house.perform(presence.showPresence, { memberIds: [of.memberId] }, ann.token),
      );
      const [item] = result.body.data.items;
      expect(item.memberId).toBe(of.memberId);
      return { ...result.body.data, items: [item.status], code: result.status, statements };
    };
    const unknown = await asked({ memberId: '0'.repeat(24) });
    expect(unknown).toMatchObject({ code: 200, own: 'online', items: ['offline'] });
    for (const whom of [cleo, eve, stranger]) expect(await asked(whom)).toEqual(unknown);
    expect(await scene.sees(cleo, ann, bob)).toBe('offline idle');
    // Who hides it neither shows nor sees it.
    await scene.hide(bob);
    expect(await asked(bob)).toEqual(unknown);
    expect(await scene.sees(bob, cleo, bob)).toBe('offline offline');
    await scene.hide(bob, false);
    expect(await scene.sees(bob, cleo, bob)).toBe('online idle');
    const many = Array.from({ length: chatLimits.watched + 1 }, (_, at) => String(at).padStart(24, '0'));
    expect(await refused(house, presence.showPresence, ann, { memberIds: many })).toBe('400 VALIDATION_ERROR');
    expect((await done(house, presence.showPresence, ann, { memberIds: many.slice(1) })).items).toHaveLength(200);
  });

  it('is told also while the sign of life of its process always fails', async () => {
    await using scene = await openPresenceOfTwo(engine);
    const { bob, house, inbox } = scene;
    await poisonRow(house.ctx.store, 'presence_processes', 'update', '1 = 1');
    await scene.set(bob, 'idle');
    await expect(scene.pass(beatMs)).rejects.toThrow('poisoned by a test');
    await eventually(async () => {
      await expect(scene.pass(0)).rejects.toThrow('poisoned by a test');
      expect(scene.heard(inbox).slice(1)).toEqual(['bob idle']);
    });
  });

  it('is told after two seconds of rest, in one frame, and of who left after a minute', async () => {
    await using scene = await openPresence(engine);
    const { ann, bob, cleo, house } = scene.scene;
    await groupOf(house, [ann, bob, cleo]);
    scene.come(ann);
    const inbox = await scene.inbox(ann);
    await scene.pass(restMs);
    await scene.told(() => expect(scene.heard(inbox)).toEqual(['ann online']));
    for (const who of [bob, cleo]) scene.come(who);
    await scene.pass(restMs - 1);
    expect(await scene.sees(ann, bob)).toBe('online');
    await scene.set(cleo, 'idle');
    await scene.pass(1);
    await scene.told(() => expect(scene.heard(inbox).slice(1)).toEqual(['bob online']));
    // What changes and changes back is not told.
    await scene.set(bob, 'idle');
    await scene.set(bob, 'online');
    scene.leave(bob);
    await scene.pass(restMs);
    await scene.told(() => expect(scene.heard(inbox).slice(2)).toEqual(['cleo idle']));
    scene.come(bob);
    scene.leave(bob);
    scene.leave(cleo);
    await scene.pass(offlineMs - 1);
    expect(await scene.sees(ann, bob, cleo)).toBe('online idle');
    await scene.pass(1);
    expect(await scene.sees(ann, bob, cleo)).toBe('offline offline');
    await scene.told(() => expect(scene.heard(inbox).slice(3)).toEqual(['bob offline, cleo offline']));
    expect(await house.ctx.db.selectFrom('presence_sockets').select('member_id').execute()).toEqual([
      { member_id: ann.memberId },
    ]);
  });

  it('stops between two in the moment of a block, and with the privacy settings', async () => {
    await using scene = await openPresence(engine);
    const { ann, bob, cleo, house } = scene.scene;
    await groupOf(house, [ann, bob, cleo]);
    for (const who of [ann, bob, cleo]) scene.come(who);
    const [annHears, bobHears, cleoHears] = [await scene.inbox(ann), await scene.inbox(bob), await scene.inbox(cleo)];
    await scene.pass(restMs);
    await scene.told(() => expect(scene.heard(cleoHears)).toEqual(['ann online, bob online, cleo online']));
    await scene.scene.block(bob, ann);
    await scene.set(bob, 'idle');
    await scene.set(ann, 'idle');
    await scene.pass(restMs);
    await scene.told(() => expect(scene.heard(cleoHears).slice(1)).toEqual(['ann idle, bob idle']));
    expect(scene.heard(annHears).slice(1)).toEqual(['bob offline', 'ann idle']);
    expect(scene.heard(bobHears).slice(1)).toEqual(['ann offline', 'bob idle']);
    // A block of those who see nothing of each other says nothing.
    const stranger = await house.register();
    const strangerHears = await scene.inbox(stranger);
    await scene.scene.block(bob, stranger);
    await scene.hide(cleo);
    await scene.pass(restMs);
    await scene.told(() => expect(scene.heard(annHears).slice(3)).toEqual(['cleo offline']));
    await scene.set(ann, 'online');
    await scene.set(cleo, 'idle');
    await scene.pass(restMs);
    await scene.told(() => expect(scene.heard(annHears).slice(4)).toEqual(['ann online']));
    expect(scene.heard(cleoHears).slice(2)).toEqual(['cleo offline']);
    expect(scene.heard(strangerHears)).toEqual([]);
  });

  it('is one with Do Not Disturb of notifications', async () => {
    await using scene = await openPresence(engine);
    const { ann, bob, house } = scene.scene;
    await scene.scene.say(ann, bob, 'Hello');
    for (const who of [ann, bob]) scene.come(who);
    const inbox = await scene.inbox(ann);
    await scene.pass(restMs);
    await scene.told(() => expect(scene.heard(inbox)).toEqual(['ann online, bob online']));
    await scene.set(bob, 'idle');
    expect(await scene.set(bob, 'dnd')).toEqual({ own: 'dnd' });
    const stored = await done(house, notificationPreferences.showPreferences, bob, {});
    expect(stored.dndConfig).toEqual({ enabled: true, expiresAt: null });
    await scene.pass(restMs);
    await scene.told(() => expect(scene.heard(inbox).slice(1)).toEqual(['bob dnd']));
    await scene.set(bob, 'online');
    expect((await done(house, notificationPreferences.showPreferences, bob, {})).dndConfig.enabled).toBe(false);
    await scene.set(bob, 'idle');
    // Turned on there, it is shown, keeps its end, and what was set before shows again when it is over.
    const expiresAt = new Date(house.clock.now() + 300_000).toISOString();
    await done(house, notificationPreferences.setDoNotDisturb, bob, { enabled: true, expiresAt });
    await scene.set(bob, 'dnd');
    expect((await done(house, notificationPreferences.showPreferences, bob, {})).dndConfig.expiresAt).toBe(expiresAt);
    expect(await scene.sees(ann, bob)).toBe('dnd');
    expect((await done(house, presence.showPresence, bob, {})).own).toBe('dnd');
    await scene.pass(300_000);
    expect(await scene.sees(ann, bob)).toBe('idle');
    await scene.told(() => expect(scene.heard(inbox).slice(2)).toEqual(['bob idle']));
  });

  it('of members of larger conversations is told to those who watch them', async () => {
    await using scene = await openPresence(engine);
    const { ann, bob, cleo, house } = scene.scene;
    const id = await channelOf(house, [ann, bob, cleo]);
    const size = chatLimits.tellsPresence + 1;
    await house.ctx.db.updateTable('rooms').set({ member_count: size }).where('id', '=', id).execute();
    const dan = await house.register();
    for (const who of [ann, bob, cleo, dan]) scene.come(who);
    const [annHears, danHears] = [await scene.inbox(ann), await scene.inbox(dan)];
    const socket = listenerOf(ann.memberId);
    const watched = await watchMembers(house.ctx, socket, [bob.memberId, dan.memberId]);
    expect(watched.map(({ status }) => status)).toEqual(['offline', 'offline']);
    await watchMembers(house.ctx, listenerOf(dan.memberId), [bob.memberId]);
    await scene.pass(restMs);
    await scene.told(() => expect(scene.heard(annHears)).toEqual(['ann online, bob online']));
    // Another list replaces it, and the end of the socket ends it.
    await watchMembers(house.ctx, socket, [cleo.memberId]);
    await scene.set(bob, 'idle');
    await scene.set(cleo, 'idle');
    await scene.pass(restMs);
    await scene.told(() => expect(scene.heard(annHears).slice(1)).toEqual(['cleo idle']));
    socket.open = false;
    await scene.set(ann, 'idle');
    await scene.set(cleo, 'online');
    await scene.pass(restMs);
    await scene.told(() => expect(scene.heard(annHears).slice(2)).toEqual(['ann idle']));
    // Whom nobody may see is not told of either.
    expect(scene.heard(danHears).join()).not.toMatch(/bob/);
  });

  it('is that of all processes on the store, and ends with the one that dies', async () => {
    await using scene = await openPresence(engine);
    const { ann, bob, house } = scene.scene;
    const { ctx } = house;
    await scene.scene.say(ann, bob, 'Hello');
    scene.come(ann);
    const inbox = await scene.inbox(ann);
    await scene.pass(restMs);
    await scene.told(() => expect(scene.heard(inbox)).toEqual(['ann online']));
    scene.come(bob, scene.other);
    await scene.pass(restMs, scene.other);
    await scene.told(() => expect(scene.heard(inbox).slice(1)).toEqual(['bob online']));
    // In a second process too: nothing changes, also when it closes in one of them.
    scene.come(bob);
    scene.leave(bob);
    await scene.pass(offlineMs, ctx, scene.other);
    expect(await scene.sees(ann, bob)).toBe('online');
    await scene.pass(beatMs, scene.other);
    await scene.pass(deadMs - 1);
    expect(await scene.sees(ann, bob)).toBe('online');
    await scene.pass(1);
    expect(await scene.sees(ann, bob)).toBe('offline');
    await scene.pass(beatMs);
    await scene.told(() => expect(scene.heard(inbox).slice(2)).toEqual(['bob offline']));
    expect(await ctx.db.selectFrom('presence_processes').select('id').execute()).toEqual([{ id: ctx.realtime.id }]);
    // It was held up alone, and comes back with who is there.
    await scene.pass(restMs, scene.other);
    await scene.told(() => expect(scene.heard(inbox).slice(3)).toEqual(['bob online']));
  });
});
