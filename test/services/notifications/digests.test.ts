import { describe, expect, it } from 'vitest';
import { digestHandler } from '../../../src/shared/notifications/digests/digest.ts';
import { prepareDigest } from '../../../src/services/mail/sending/digest.ts';
import { engines } from '../../support/stores.ts';
import { openMail, type Correspondent, type MailScene } from '../mail/scene.ts';
import { runDueHandlers, runDueJobs } from '../quorum/due-jobs.ts';
import { ask, contents, heard, notified, withdrawn } from './notifying.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Subjects and texts of a member's inbox, the latest first. */
async function inbox(scene: MailScene, who: Correspondent): Promise<{ id: string; subject: string; text: string }[]> {
  const { emails } = (await scene.ask(who, 'GET', '/inbox', undefined, 200)).body.data;
  return await Promise.all(
    emails.map(async ({ id, subject }: { id: string; subject: string }) => {
      const { textBody } = (await scene.ask(who, 'GET', `/${id}/content`, undefined, 200)).body.data;
      return { id, subject, text: textBody };
    }),
  );
}

async function later(scene: MailScene, milliseconds: number): Promise<void> {
  scene.house.clock.advance(milliseconds);
  await runDueJobs(scene, 'notifications');
}

const files = async ({ house }: MailScene) => await house.ctx.db.selectFrom('mail_contents').select('id').execute();

describe.each(engines)('digests of notifications on %s', (engine) => {
  it('come into the own mailbox an hour after the first of them, and tell what is unread then', async () => {
    await using scene = await openMail(engine, { context: { notificationRules: [] } });
    const { house } = scene;
    const [ann, bob] = [await scene.join('ann'), await scene.join('bob')];
    const about = { recipientId: ann.memberId, actorId: bob.memberId } as const;
    await notified(house, { ...about, type: 'repost', targetId: 'a', content: 'Bob replied\nto you.' });
    await notified(house, { ...about, type: 'follow', content: 'Bob follows you.' });
    await notified(house, { ...about, type: 'mention', targetId: 'b', content: 'Withdrawn' });
    await later(scene, 59 * MINUTE);
    expect(await inbox(scene, ann)).toEqual([]);
    await notified(house, { ...about, type: 'like', targetId: 'c', content: 'Bob likes it.' });
    await withdrawn(house, { targetId: 'b' });
    await later(scene, MINUTE);
    const [digest, ...others] = await inbox(scene, ann);
    expect(others).toEqual([]);
    expect(digest?.subject).toBe('You have 3 unread notifications');
    expect(digest?.text.replaceAll('\r\n', '\n')).toBe(
      [
        'You have 3 unread notifications.',
        'Posts\n- Bob likes it.\n- Bob replied to you.',
        'Connections\n- Bob follows you.',
        'To choose what you are told, and how: conclave social notifications preferences\n',
      ].join('\n\n'),
    );
    const raw = await house.api('GET', `/api/emails/${digest?.id}/raw`, { token: ann.token });
    expect(raw.body).toMatch(/^From: Conclave <no\.reply@home\.example>\r\n/m);
    expect(raw.body).toMatch(/^Auto-Submitted: auto-generated\r\n/m);
    // The mail is heard of as mail, and not notified of.
    expect(await contents(house, ann)).toHaveLength(3);
    expect(heard(house, ann).filter(([name]) => name === 'notification:new')).toHaveLength(4);
    // None of it is told again.
    await later(scene, 5 * HOUR);
    expect(await inbox(scene, ann)).toHaveLength(1);
    expect(await inbox(scene, bob)).toEqual([]);
    expect(await house.ctx.db.selectFrom('jobs').select('id').where('kind', 'like', 'notif%').execute()).toEqual([]);
  });

  it('come at most once in the interval, and not for what was read, deleted, unwanted or e-mail itself', async () => {
    await using scene = await openMail(engine);
    const { house } = scene;
    const [ann, bob] = [await scene.join('ann'), await scene.join('bob')];
    const mention = { recipientId: ann.memberId, type: 'mention' } as const;
    await notified(house, { ...mention, content: 'Read' });
    await ask(house, ann, 'POST', '/read-all');
    await notified(house, { recipientId: ann.memberId, type: 'follow', content: 'Unwanted' });
    const social = { enabled: true, channels: ['in_app', 'email'] };
    await ask(house, ann, 'PUT', '/preferences', {
      categorySettings: { connections: { enabled: true, channels: ['in_app'] }, social },
    });
    await scene.send(bob, [ann]);
    await later(scene, HOUR);
    expect((await inbox(scene, ann)).map(({ subject }) => subject)).toEqual(['Hello']);
    await notified(house, { ...mention, content: 'One' });
    await later(scene, HOUR);
    await notified(house, { ...mention, content: 'Two' });
    await later(scene, 59 * MINUTE);
    expect(await inbox(scene, ann)).toHaveLength(2);
    await later(scene, MINUTE);
    const [latest] = await inbox(scene, ann);
    expect(latest?.subject).toBe('You have one unread notification');
    expect(latest?.text).toContain('- Two');
    expect(latest?.text).not.toContain('One');
    await ask(house, ann, 'PUT', '/preferences', { channelSettings: { email: false } });
    await notified(house, { ...mention, content: 'Three' });
    await later(scene, 3 * HOUR);
    expect(await inbox(scene, ann)).toHaveLength(3);
  });

  it('wait for the end of quiet hours and Do Not Disturb', async () => {
    await using scene = await openMail(engine);
    const { house } = scene;
    const ann = await scene.join('ann');
    const mention = { recipientId: ann.memberId, type: 'mention' } as const;
    await notified(house, { ...mention, content: 'One' });
    // It is noon. The hours begin before the digest would come.
    const hours = { enabled: true, startTime: '12:30', endTime: '15:00', timezone: 'UTC' };
    await ask(house, ann, 'POST', '/preferences/quiet-hours', hours);
    await later(scene, HOUR);
    await notified(house, { ...mention, content: 'Two' });
    await later(scene, HOUR);
    expect(await inbox(scene, ann)).toEqual([]);
    await later(scene, HOUR);
    const [one] = await inbox(scene, ann);
    expect(one?.text).toContain('- One');
    await later(scene, HOUR);
    const told = (await inbox(scene, ann)).map(({ text }) => text).join();
    expect(told.match(/- Two/g)).toHaveLength(1);
    await ask(house, ann, 'POST', '/preferences/dnd', { enabled: true });
    await notified(house, { ...mention, content: 'Three' });
    await later(scene, 5 * HOUR);
    await ask(house, ann, 'POST', '/preferences/dnd', { enabled: false });
    await later(scene, HOUR);
    expect((await inbox(scene, ann))[0]?.text).toContain('- Three');
  });

  it('have at most fifty lines, and say how many there are besides', async () => {
    await using scene = await openMail(engine);
    const ann = await scene.join('ann');
    for (let number = 1; number <= 53; number += 1)
      await notified(scene.house, { recipientId: ann.memberId, type: 'mention', content: `Number ${number}.` });
    await later(scene, HOUR);
    const [digest] = await inbox(scene, ann);
    expect(digest?.subject).toBe('You have 53 unread notifications');
    expect(digest?.text.match(/^- /gm)).toHaveLength(50);
    expect(digest?.text).toContain('3 more are not in this message.');
    await later(scene, 5 * HOUR);
    expect(await inbox(scene, ann)).toHaveLength(1);
  });

  it('tell nothing that was read or withdrawn while they were made, and leave no file behind', async () => {
    await using scene = await openMail(engine);
    const { house } = scene;
    const ann = await scene.join('ann');
    const mention = { recipientId: ann.memberId, type: 'mention' } as const;
    await notified(house, { ...mention, targetId: 'a', content: 'Withdrawn' });
    await notified(house, { ...mention, targetId: 'b', content: 'Stays' });
    house.clock.advance(HOUR);
    let made = 0;
    const handler = await digestHandler({ ...house.ctx, notificationRules: [] }, async (...call) => {
      const prepared = await prepareDigest(...call);
      made += 1;
      if (made === 1) await withdrawn(house, { targetId: 'a' });
      return prepared;
    });
    await runDueHandlers(house.ctx, { 'notification-digest': handler });
    expect(made).toBe(2);
    const mails = await inbox(scene, ann);
    expect(mails).toHaveLength(1);
    expect(mails[0]?.text).toContain('Stays');
    expect(mails[0]?.text).not.toContain('Withdrawn');
    expect(await files(scene)).toHaveLength(1);
    await notified(house, { ...mention, content: 'Read meanwhile' });
    house.clock.advance(HOUR);
    const reading = await digestHandler({ ...house.ctx, notificationRules: [] }, async (...call) => {
      const prepared = await prepareDigest(...call);
      await ask(house, ann, 'POST', '/read-all');
      return prepared;
    });
    await runDueHandlers(house.ctx, { 'notification-digest': reading });
    expect(await inbox(scene, ann)).toHaveLength(1);
    expect(await files(scene)).toHaveLength(1);
  });

  it('come exactly once when the transaction fails, and not for what the reader may no longer see', async () => {
    await using scene = await openMail(engine);
    const { house } = scene;
    const ann = await scene.join('ann');
    await notified(house, { recipientId: ann.memberId, type: 'mention', targetId: 'a', content: 'Hidden' });
    await notified(house, { recipientId: ann.memberId, type: 'reply', targetId: 'a', content: 'Seen' });
    house.clock.advance(HOUR);
    const hiding = { types: ['mention' as const], visibleTo: async () => new Set<string>() };
    let tries = 0;
    const handler = await digestHandler({ ...house.ctx, notificationRules: [hiding] }, async (...call) => {
      tries += 1;
      const prepared = await prepareDigest(...call);
      if (tries === 1) house.spoil();
      return prepared;
    });
    await runDueHandlers(house.ctx, { 'notification-digest': handler });
    house.clock.advance(HOUR);
    await runDueHandlers(house.ctx, { 'notification-digest': handler });
    expect(tries).toBe(2);
    const mails = await inbox(scene, ann);
    expect(mails.map(({ subject }) => subject)).toEqual(['You have one unread notification']);
    expect(mails[0]?.text).not.toContain('Hidden');
    expect(await files(scene)).toHaveLength(1);
  });

  it('are refused by rules and full mailboxes like other mail, and not tried again', async () => {
    await using scene = await openMail(engine, { config: { storage: { perMemberBytes: 100 } } });
    const { house } = scene;
    const ann = await scene.join('ann');
    await notified(house, { recipientId: ann.memberId, type: 'mention', content: 'One' });
    await later(scene, HOUR);
    await later(scene, 5 * HOUR);
    expect(await inbox(scene, ann)).toEqual([]);
    expect(await files(scene)).toEqual([]);
    expect(await house.ctx.db.selectFrom('jobs').select('id').where('kind', 'like', 'notif%').execute()).toEqual([]);
  });

  it('are off where the node or the member is suspended or configured so', async () => {
    await using first = await openMail(engine);
    const { config } = first.house.ctx;
    const off = { config: { notifications: { ...config.notifications, email: false } } };
    await using scene = await openMail(engine, off);
    const ann = await scene.join('ann');
    await notified(scene.house, { recipientId: ann.memberId, type: 'mention', content: 'One' });
    await later(scene, 5 * HOUR);
    expect(await inbox(scene, ann)).toEqual([]);
    const bob = await first.join('bob');
    await notified(first.house, { recipientId: bob.memberId, type: 'mention', content: 'One' });
    await first.house.ctx.db
      .updateTable('members')
      .set({ status: 'suspended' })
      .where('id', '=', bob.memberId)
      .execute();
    await later(first, 5 * HOUR);
    expect(await first.house.ctx.db.selectFrom('mail_items').select('id').execute()).toEqual([]);
  });
});
