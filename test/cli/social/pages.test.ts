import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Bookmark from '../../../commands/social/bookmark.ts';
import Bookmarks from '../../../commands/social/bookmarks.ts';
import EditProfile from '../../../commands/social/profile/edit.ts';
import Follow from '../../../commands/social/follow.ts';
import Followers from '../../../commands/social/followers.ts';
import Create from '../../../commands/social/hub/create.ts';
import Join from '../../../commands/social/hub/join.ts';
import Members from '../../../commands/social/hub/members.ts';
import Hubs from '../../../commands/social/hubs.ts';
import Like from '../../../commands/social/like.ts';
import Mute from '../../../commands/social/mute.ts';
import Mutes from '../../../commands/social/mutes.ts';
import Notifications from '../../../commands/social/notifications.ts';
import PostCommand from '../../../commands/social/post.ts';
import Reply from '../../../commands/social/reply.ts';
import ReportCommand from '../../../commands/social/report.ts';
import ListReports from '../../../commands/social/reports/list.ts';
import Reports from '../../../commands/social/reports.ts';
import ListRequests from '../../../commands/social/requests/list.ts';
import Requests from '../../../commands/social/requests.ts';
import Thread from '../../../commands/social/thread.ts';
import { fewWays } from '../home.ts';
import { openMailPeople, type MailPeople } from '../mail/mail-people.ts';

type Asked = Parameters<MailPeople['run']>;

describe.each(fewWays)('lists of the social network in pages, by the way %s', (way) => {
  let people: MailPeople;
  let root: string;
  const run = async (...[name, command, argv]: Asked) => {
    const done = await people.run(name, command, argv);
    expect(done).toMatchObject({ code: 0 });
    return done;
  };
  const read = async (...[name, command, argv = []]: Asked) => (await run(name, command, [...argv, '--json'])).json();
  beforeAll(async () => {
    people = await openMailPeople(way, ['ada', 'bob', 'cleo']);
    root = (await read('bob', PostCommand, ['Tea at four.']))['_id'];
    const other = (await read('bob', PostCommand, ['Cake at five.']))['_id'];
    for (const text of ['I come.', 'I stay.']) await run('cleo', Reply, [root, text]);
    for (const id of [root, other]) {
      await run('cleo', Bookmark, [id]);
      await run('cleo', Like, [id]);
      await run('cleo', ReportCommand, [id, 'Sweet']);
    }
    await run('bob', Create, ['Garden', '--slug', 'garden']);
    await run('bob', Create, ['Bees', '--slug', 'bees']);
    for (const name of ['ada', 'cleo']) {
      await run(name, Join, ['garden']);
      await run(name, Follow, ['bob']);
    }
    await run('ada', Follow, ['cleo']);
    await run('ada', EditProfile, ['--is-protected']);
    for (const name of ['bob', 'cleo']) {
      await run(name, Follow, ['ada']);
      await run('ada', Mute, [name]);
    }
  });
  afterAll(async () => await people[Symbol.asyncDispose]());

  it('go on with the cursor of the page before', async () => {
    const lists: [string, ...Asked][] = [
      ['posts', 'cleo', Bookmarks],
      ['people', 'ada', Mutes],
      ['people', 'ada', Followers, ['bob']],
      ['people', 'ada', Followers, ['ada', '--following']],
      ['requests', 'ada', Requests],
      ['reports', 'cleo', Reports],
      ['notifications', 'bob', Notifications, ['--unread']],
      ['hubs', 'bob', Hubs],
      ['hubs', 'bob', Hubs, ['--explore', '--sort', 'new']],
      ['items', 'bob', Members, ['garden']],
      ['replies', 'cleo', Thread, [root]],
    ];
    for (const [property, name, command, argv = []] of lists) {
      const all = await read(name, command, [...argv, '--all']);
      const found: unknown[] = [];
      let cursor: string | undefined;
      do {
        const from = cursor === undefined ? [] : ['--cursor', cursor];
        const page = await read(name, command, [...argv, '--limit', '1', ...from]);
        expect([command.name, page[property]]).toEqual([command.name, [expect.anything()]]);
        expect(page.hasMore).toBe(page.cursor !== undefined);
        found.push(...page[property]);
        ({ cursor } = page);
      } while (cursor !== undefined && found.length < 10);
      expect([command.name, all.hasMore, all.cursor]).toEqual([command.name, false, undefined]);
      expect(found.length).toBeGreaterThan(1);
      expect([command.name, found]).toEqual([command.name, all[property]]);
    }
  });

  it('take no cursor of another list', async () => {
    const { cursor } = await read('cleo', Bookmarks, ['--limit', '1']);
    expect((await read('cleo', Bookmarks, ['--cursor', cursor, '--all'])).posts).toHaveLength(1);
    const refused = await people.run('cleo', Mutes, ['--cursor', cursor, '--json']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: 'INVALID_CURSOR' } });
    expect(await people.run('ada', Notifications, ['--watch', '--cursor', 'x'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('say the same by the bare word as by its command list', async () => {
    for (const [name, bare, list] of [
      ['ada', Requests, ListRequests],
      ['cleo', Reports, ListReports],
    ] as const)
      expect((await run(name, bare)).stdout).toBe((await run(name, list)).stdout);
    const lost = await people.run('cleo', Requests, ['aprove']);
    expect(lost).toMatchObject({ code: 2, stdout: '' });
  });
});
