import { describe, expect, it } from 'vitest';
import { transaction } from '../../../src/service/context.ts';
import { topicOf } from '../../../src/shared/notifications/telling.ts';
import { noticeLinkOpened, noticeRevoked, noticeShared } from '../../../src/services/filevault/notices.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { openScene, said, type Scene } from './scene.ts';

interface Told {
  readonly _id: string;
  readonly type: string;
  readonly content: string;
  readonly isRead: boolean;
}

async function told(scene: Scene, { token }: HouseMember, query = ''): Promise<Told[]> {
  return (await scene.get('GET', `/notifications?limit=100${query}`, undefined, { token })).notifications;
}

async function contents(scene: Scene, member: HouseMember): Promise<string[]> {
  return (await told(scene, member)).map(({ content }) => content).toReversed();
}

describe.each(engines)('notifications about files on %s', (engine) => {
  it('ask for approvals and tell decisions, until they are over', async () => {
    await using scene = await openScene(engine);
    const [asker, admin] = [await scene.house.register(), await scene.house.register()];
    for (const { memberId } of [asker, admin])
      await scene.grant('folder', scene.rootId, { principalId: memberId, flags: ['read', 'delete', 'admin'] });
    const file = await scene.file('x', { name: 'secret.txt' });
    const wanted = { operationType: 'destruction', targetType: 'file', targetId: file };
    const ask = async () => (await scene.get('POST', '/approval/request', wanted, { token: asker.token })).id as string;
    const id = await ask();
    const words = `${asker.username} asks for your approval to destroy a file.`;
    expect(await contents(scene, admin)).toEqual([words]);
    expect(await contents(scene, scene.owner)).toEqual([words]);
    expect(scene.house.happened.map(({ topic }) => topic)).toContain(topicOf(admin.memberId));
    await scene.get('POST', `/approval/${id}/approve`, {}, { token: admin.token });
    expect([await contents(scene, admin), await contents(scene, scene.owner)]).toEqual([[], [words]]);
    expect(await contents(scene, asker)).toEqual(['Your request to destroy a file was approved.']);
    scene.house.clock.advance(1);
    await scene.get('POST', `/destroy/${file}`, {}, { token: asker.token });
    expect(await contents(scene, scene.owner)).toEqual([words, `A file of yours was destroyed by ${asker.username}.`]);
    await scene.get('POST', `/approval/${id}/cancel`, {}, { token: asker.token });
    expect(await contents(scene, scene.owner)).toEqual([`A file of yours was destroyed by ${asker.username}.`]);
  });

  it('tell of a destruction that is scheduled, until the file is gone or hidden', async () => {
    await using scene = await openScene(engine);
    const maker = await scene.house.register();
    await scene.grant('folder', scene.rootId, { principalId: maker.memberId, level: 'editor' });
    const [one, two] = [
      await scene.file('x', { name: 'one.txt', token: maker.token }),
      await scene.file('y', { name: 'two.txt', token: maker.token }),
    ];
    const scheduledAt = new Date(scene.house.clock.now() + 1_000).toISOString();
    for (const id of [one, two]) await scene.get('POST', `/destroy/${id}/schedule`, { scheduledAt });
    const words = `${scene.owner.username} scheduled the destruction of a file of yours for ${scheduledAt}.`;
    expect(await contents(scene, maker)).toEqual([words, words]);
    await scene.get('POST', `/destroy/${one}`, {});
    expect(await contents(scene, maker)).toEqual([words]);
    await scene.get('PUT', `/acl/folder/${scene.rootId}`, { entries: [] });
    expect(await contents(scene, maker)).toEqual([]);
  });

  it('tell of shares and links, and take it back when the share goes', async () => {
    await using scene = await openScene(engine);
    const friend = await scene.house.register();
    const id = await scene.file('x', { name: 'plan.txt' });
    const item = { id, kind: 1 } as const;
    const shared = { actorId: scene.owner.memberId, item, recipientIds: [friend.memberId] };
    const { ctx } = scene.house;
    await transaction(ctx, async (tx) => await noticeShared(tx, shared));
    const { username, memberId: makerId } = scene.owner;
    expect(await contents(scene, friend)).toEqual([`${username} shared a file with you.`]);
    await transaction(ctx, async (tx) => await noticeRevoked(tx, shared));
    expect(await contents(scene, friend)).toEqual([`${username} no longer shares a file with you.`]);
    await transaction(ctx, async (tx) => await noticeLinkOpened(tx, { makerId, shareId: 'a'.repeat(32), item }));
    expect(await contents(scene, scene.owner)).toEqual(['Your link to a file was opened for the first time.']);
  });

  it('tell once that a quota is filled to 80 and to 95 percent', async () => {
    await using scene = await openScene(engine);
    await scene.get('PATCH', `/vaults/${scene.containerId}`, { quotaBytes: 100 });
    await scene.file('x'.repeat(79));
    expect(await contents(scene, scene.owner)).toEqual([]);
    const first = await scene.file('x');
    const at = (percent: number) => `The container “Home” is filled to ${percent} %.`;
    expect(await contents(scene, scene.owner)).toEqual([at(80)]);
    await scene.get('POST', `/destroy/${first}`, {});
    await scene.file('x');
    expect((await told(scene, scene.owner)).map(({ content }) => content)).toEqual([at(80)]);
    await scene.file('x'.repeat(15));
    // They are of one container within an hour, so they are one notification.
    expect(await scene.get('GET', '/notifications')).toMatchObject({ notifications: [{ content: at(95), count: 2 }] });
  });

  it('tell of the storage of a member too', async () => {
    await using scene = await openScene(engine, { config: { storage: { perMemberBytes: 100 } } });
    await scene.file('x'.repeat(80));
    await scene.file('x');
    expect(await contents(scene, scene.owner)).toEqual(['Your storage is filled to 80 %.']);
  });

  it('are listed and read, and leave those of other services alone', async () => {
    await using scene = await openScene(engine);
    const friend = await scene.house.register();
    const { ctx } = scene.house;
    for (const name of ['a', 'b', 'c'])
      await transaction(ctx, async (tx) => {
        const item = { id: name.repeat(32), kind: 0 } as const;
        await noticeShared(tx, { actorId: scene.owner.memberId, item, recipientIds: [friend.memberId] });
      });
    const boss = await scene.house.administrator();
    const alert = { recipientId: friend.memberId, type: 'system_alert', content: 'Hello' };
    const sent = await scene.house.api('POST', '/api/social/notifications/system-alert', {
      token: boss.token,
      body: alert,
    });
    const as = { token: friend.token };
    const [{ _id: first }] = (await told(scene, friend)) as [Told];
    const { _id: other } = sent.body.data as Told;
    const ids = [first, other, '0'.repeat(32)];
    expect(await scene.get('POST', '/notifications/read', { ids }, as)).toEqual({ marked: 1, unreadCount: 2 });
    expect((await told(scene, friend, '&unread=true')).length).toBe(2);
    expect((await told(scene, friend, '&unread=false')).length).toBe(1);
    expect(await scene.get('POST', '/notifications/read', { all: true }, as)).toEqual({ marked: 2, unreadCount: 0 });
    for (const body of [{}, { ids: [] }, { ids, all: true }, { all: false }])
      expect(said(await scene.call('POST', '/notifications/read', body, as))).toBe('400 VALIDATION_ERROR');
    const rest = await scene.house.api('GET', '/api/social/notifications/unread-count', as);
    expect(rest.body.data.unreadCount).toBe(1);
  });
});
