import { describe, expect, it } from 'vitest';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { engines } from '../../support/stores.ts';
import { openMail, type Correspondent, type MailScene } from './scene.ts';

/** What a member's sockets heard of mail, in order. */
function heard({ house }: MailScene, who: Correspondent): { name: string; data: Record<string, unknown> }[] {
  return house.happened.flatMap((one) => {
    if (one.kind !== 'event' || one.topic !== `mail:${who.memberId}`) return [];
    const { type: name, data } = JSON.parse(one.text) as { type: string; data: Record<string, unknown> };
    return [{ name, data }];
  });
}

describe.each(engines)('events of mail on %s', (engine) => {
  it('tell of new messages, statuses, readings and changes, and nothing of contents', async () => {
    await using scene = await openMail(engine);
    const [ada, bob, eve] = [await scene.join('ada'), await scene.join('bob'), await scene.join('eve')];
    const sent = await scene.send(ada, [bob], { subject: 'Secret plans', textBody: 'At noon', bcc: [eve.mailbox] });
    const [item] = (await scene.ask(bob, 'GET', '/inbox', undefined, 200)).body.data.emails;
    expect(heard(scene, bob)).toEqual([
      {
        name: 'email:new',
        data: { id: item.id, messageId: sent.messageId, folder: 'inbox', receivedAt: '2026-01-15T12:00:00.000Z' },
      },
    ]);
    await scene.ask(bob, 'POST', `/${item.id}/read`, {}, 200);
    await scene.ask(bob, 'PATCH', `/${item.id}`, { folder: 'archive' }, 200);
    await scene.ask(bob, 'DELETE', `/${item.id}`, undefined, 200);
    expect(heard(scene, bob).slice(1)).toMatchObject([
      { name: 'email:read', data: { id: item.id, messageId: sent.messageId, read: true, unreadCount: 0 } },
      { name: 'email:changed', data: { id: item.id, deleted: false } },
      { name: 'email:changed', data: { id: item.id, deleted: true } },
    ]);
    // Nobody but the member hears it, and a sender hears of no reading.
    expect(heard(scene, ada).map(({ name }) => name)).not.toContain('email:read');
    expect(heard(scene, eve).map(({ name }) => name)).toEqual(['email:new']);
    const all = JSON.stringify(scene.house.happened.filter(({ topic }) => topic.startsWith('mail:')));
    expect(all).not.toMatch(/Secret|noon/);
  });

  it('tell the sender of every change of a delivery', async () => {
    await using scene = await openMail(engine);
    const [ada, bob] = [await scene.join('ada'), await scene.join('bob')];
    const sendAt = new Date(scene.house.clock.now() + 60_000).toISOString();
    const sent = await scene.send(ada, [bob], { sendAt });
    expect(heard(scene, ada)).toEqual([]);
    scene.house.clock.advance(60_000);
    await runDueJobs(scene, 'mail');
    expect(heard(scene, ada)).toMatchObject([
      {
        name: 'email:status',
        data: { id: sent.id, messageId: sent.messageId, address: bob.address, status: 'DELIVERED', code: null },
      },
    ]);
  });
});

describe.each(engines)('notifications of mail on %s', (engine) => {
  it('come as the member wants, in groups of a thread, and not for what rules have read or put away', async () => {
    await using scene = await openMail(engine);
    const [ada, bob, cy] = [await scene.join('ada'), await scene.join('bob'), await scene.join('cy')];
    const notified = async ({ token, memberId }: Correspondent) => {
      const path = `/api/social/notifications?userId=${memberId}`;
      return (await scene.house.api('GET', path, { token })).body.data.notifications;
    };
    const sent = await scene.send(ada, [bob], { subject: 'Secret' });
    expect(await notified(bob)).toMatchObject([{ type: 'new_email', category: 'mail' }]);
    expect(JSON.stringify(await notified(bob))).not.toContain('Secret');
    const answer = { from: bob.mailbox, textBody: 'x' };
    await scene.ask(bob, 'POST', `/${encodeURIComponent(sent.messageId)}/reply`, answer, 201);
    expect(await notified(ada)).toHaveLength(1);
    const rules = [{ name: 'News', conditions: { subject: 'news' }, actions: { markRead: true } }];
    await scene.ask(cy, 'PUT', '/rules', { rules }, 200);
    await scene.send(ada, [cy], { subject: 'News' });
    expect(await notified(cy)).toEqual([]);
    const preferences = { userId: cy.memberId, categorySettings: { mail: { enabled: false, channels: ['in_app'] } } };
    const changed = await scene.house.api('PUT', '/api/social/notifications/preferences', {
      token: cy.token,
      body: preferences,
    });
    expect(changed.status).toBe(200);
    await scene.send(ada, [cy], { subject: 'Other' });
    expect(await notified(cy)).toEqual([]);
    // It arrived all the same.
    expect((await scene.ask(cy, 'GET', '/inbox', undefined, 200)).body.data.total).toBe(2);
  });

  it('go when nothing of the thread is left unread in the inbox, because it was read, deleted or moved', async () => {
    await using scene = await openMail(engine);
    const [ada, bob] = [await scene.join('ada'), await scene.join('bob')];
    const count = async (): Promise<number> => {
      const path = `/api/social/notifications?userId=${bob.memberId}`;
      return (await scene.house.api('GET', path, { token: bob.token })).body.data.notifications.length;
    };
    const inbox = async (): Promise<string[]> => {
      const { emails } = (await scene.ask(bob, 'GET', '/inbox', undefined, 200)).body.data;
      return emails.map(({ id }: { id: string }) => id);
    };
    const read = async (id: string) => await scene.ask(bob, 'POST', `/${id}/read`, {}, 200);
    const ways: ((id: string) => Promise<unknown>)[] = [
      read,
      async (id) => await scene.ask(bob, 'DELETE', `/${id}`, undefined, 200),
      async (id) => await scene.ask(bob, 'PATCH', `/${id}`, { folder: 'archive' }, 200),
      async (id) => await scene.ask(bob, 'PATCH', `/${id}`, { folder: 'trash' }, 200),
    ];
    for (const goes of ways) {
      let { messageId } = await scene.send(ada, [bob], { subject: 'Thread' });
      for (const who of [bob, ada]) {
        const path = `/${encodeURIComponent(messageId)}/reply`;
        const { data } = (await scene.ask(who, 'POST', path, { from: who.mailbox, textBody: 'x' }, 201)).body;
        ({ messageId } = data);
      }
      expect(await count()).toBe(1);
      const [one, two] = (await inbox()) as [string, string];
      await goes(one);
      expect(await count()).toBe(1);
      await goes(two);
      expect(await count()).toBe(0);
      const left = goes === read ? [one, two] : [];
      expect(await inbox()).toEqual(left);
      for (const id of left) await scene.ask(bob, 'DELETE', `/${id}`, undefined, 200);
    }
    // One that is put away already takes nothing along.
    await scene.send(ada, [bob]);
    const [one] = (await inbox()) as [string];
    await scene.ask(bob, 'PATCH', `/${one}`, { folder: 'archive' }, 200);
    await scene.send(ada, [bob]);
    await scene.ask(bob, 'DELETE', `/${one}`, undefined, 200);
    expect(await count()).toBe(1);
  });
});
