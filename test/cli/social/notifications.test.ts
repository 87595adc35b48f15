import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Send from '../../../commands/mail/send.ts';
import Clear from '../../../commands/social/notifications/clear.ts';
import List from '../../../commands/social/notifications.ts';
import Preferences from '../../../commands/social/notifications/preferences.ts';
import Read from '../../../commands/social/notifications/read.ts';
import { briefClient } from '../../../src/client/brief-client.ts';
import { openClient } from '../../../src/client/client.ts';
import { openNews, watchNotifications } from '../../../src/cli/social/notification-news.ts';
import { idOf, notificationLine, sentenceOf } from '../../../src/cli/social/notification-views.ts';
import type { Notification } from '../../../src/contract/notifications/notification.ts';
import { fewWays } from '../home.ts';
import { openMailPeople, type MailPeople } from '../mail/mail-people.ts';
import { elapses } from '../../support/real-time.ts';

describe.each(fewWays)('notifications on the command line, by the way %s', (way) => {
  let people: MailPeople;
  beforeAll(async () => void (people = await openMailPeople(way, ['ada', 'bob', 'cleo'])));
  afterAll(async () => await people[Symbol.asyncDispose]());
  const run: MailPeople['run'] = async (...how) => await people.run(...how);
  /** Each is notified of the e-mail. */
  const write = async (to: string, subject: string) =>
    await run('ada', Send, ['--to', `${to}@home.example`, '--subject', subject], { stdin: 'Hi.\n' });

  it('are listed, read and cleared', async () => {
    expect(await run('bob', List)).toMatchObject({ code: 0, stdout: '', stderr: 'There are no notifications.\n' });
    for (const subject of ['One', 'Two']) await write('bob', subject);
    const { notifications, hasMore } = (await run('bob', List, ['--json'])).json();
    expect(notifications).toMatchObject([{ type: 'new_email', isRead: false }, { isRead: false }]);
    expect(hasMore).toBe(false);
    const [latest, earlier] = notifications as [Notification, Notification];
    const plain = await run('bob', List);
    expect(plain.stdout.split('\n')[0]?.split('\t')).toEqual([
      idOf(latest),
      'unread',
      expect.any(String),
      'new_email',
      latest.content,
    ]);
    expect(await run('bob', List, ['--limit', '1'])).toMatchObject({
      stderr: 'There are more. Use --limit or --all.\n',
    });
    expect(await run('bob', Read, [idOf(earlier).slice(0, 30)])).toMatchObject({
      code: 0,
      stdout: `${earlier.content}\n`,
    });
    expect((await run('bob', List, ['--unread', '--json'])).json().notifications).toMatchObject([
      { _id: idOf(latest) },
    ]);
    expect((await run('bob', Read, ['--all', '--json'])).json()).toEqual({ marked: 1, unreadCount: 0 });
    expect((await run('bob', List, ['--unread', '--json'])).json().notifications).toEqual([]);
    const missing = await run('bob', Read, ['ffffffffff']);
    expect(missing).toMatchObject({ code: 6, stdout: '' });
    expect(missing.stderr).toContain('conclave social notifications');
    for (const argv of [[], [idOf(latest), '--all']]) expect(await run('bob', Read, argv)).toMatchObject({ code: 2 });
    expect(await run('bob', Clear, [idOf(latest)])).toMatchObject({ code: 0, stdout: 'Deleted the notification.\n' });
    expect(await run('bob', Clear)).toMatchObject({ code: 2, stdout: '' });
    expect(await run('bob', Clear, ['--yes'])).toMatchObject({ code: 0, stdout: 'Deleted 1 notification.\n' });
    expect((await run('bob', List, ['--json'])).json().notifications).toEqual([]);
    expect(await run('bob', List, ['raed'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('come as one chose, and a wrong choice changes nothing', async () => {
    expect(await run('cleo', Preferences)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('You have chosen nothing'),
    });
    expect((await run('cleo', Preferences, ['--json'])).json()).toBeNull();
    for (const argv of [
      ['--category', 'posts=push', '--no-push'],
      ['--category', 'social=fax', '--no-push'],
      ['--category', 'social', '--no-push'],
      ['--quiet', '22-7', '--no-push'],
      ['--dnd', 'soon', '--no-push'],
    ]) {
      const refused = await run('cleo', Preferences, argv);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain(argv[0]);
    }
    expect((await run('cleo', Preferences, ['--json'])).json()).toBeNull();
    const argv = ['--no-email', '--category', 'files=in_app,push', '--category', 'quorum=off', '--no-sound'];
    const hours = ['--quiet', '22:00-07:00', '--zone', 'Europe/Berlin', '--dnd', '8h'];
    const stored = (await run('cleo', Preferences, [...argv, ...hours, '--json'])).json();
    expect(stored).toMatchObject({
      categorySettings: {
        files: { enabled: true, channels: ['in_app', 'push'] },
        quorum: { enabled: false, channels: [] },
        social: { enabled: true },
      },
      channelSettings: { in_app: true, email: false, push: true },
      quietHours: { enabled: true, startTime: '22:00', endTime: '07:00', timezone: 'Europe/Berlin' },
      dndConfig: { enabled: true, expiresAt: expect.any(String) },
      soundEnabled: false,
    });
    const shown = await run('cleo', Preferences, ['--dnd', 'off', '--quiet', 'off']);
    expect(shown.stdout).toMatch(/Category quorum\s+off/);
    expect(shown.stdout).toMatch(/Do Not Disturb\s+off/);
    expect(shown.stdout).toMatch(/E-mail\s+off/);
  });

  it('are told as they come', async () => {
    await write('bob', 'Before');
    const env = { ...people.home.env, CONCLAVE_TOKEN: people.tokens['bob'] };
    // In this process others use the store while somebody watches.
    await using client = await briefClient(async () => await openClient({ env, userAgent: 'test', command: 'test' }));
    const news = await openNews(client);
    const told: Notification[] = [];
    let looks = 0;
    const watching = watchNotifications(client, {
      look: async () => {
        looks += 1;
        told.push(...(await news()));
        return told.length < 2;
      },
      trouble: () => undefined,
      patience: { deafMs: elapses(20), perReadMs: 0, hearingMs: 600_000 },
    });
    await expect.poll(() => looks).toBeGreaterThan(0);
    for (const subject of ['One', 'Two']) await write('bob', subject);
    await watching;
    expect(told).toMatchObject([{ type: 'new_email' }, { type: 'new_email' }]);
  });
});

describe('lines of notifications', () => {
  const one = { _id: '0'.repeat(32), type: 'like', content: 'Bob\u001b[2J likes it.' } as Notification;

  it('are harmless on a terminal, and say how many others there are', () => {
    expect(notificationLine(one, false)).not.toContain('\u001b');
    expect(notificationLine(one, true)).not.toContain('\u001b');
    expect(sentenceOf({ ...one, content: 'Bob likes it.', actorCount: 2 })).toBe('Bob likes it. (and one other)');
    expect(sentenceOf({ ...one, content: 'Bob likes it.', actorCount: 10 })).toBe('Bob likes it. (and 9 others)');
  });
});
