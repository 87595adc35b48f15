import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Login from '../../../commands/login.ts';
import Block from '../../../commands/social/block.ts';
import Blocks from '../../../commands/social/blocks.ts';
import Bookmarks from '../../../commands/social/bookmarks.ts';
import Edit from '../../../commands/social/edit.ts';
import Follow from '../../../commands/social/follow.ts';
import Followers from '../../../commands/social/followers.ts';
import Like from '../../../commands/social/like.ts';
import Mute from '../../../commands/social/mute.ts';
import Mutes from '../../../commands/social/mutes.ts';
import PostCommand from '../../../commands/social/post.ts';
import EditProfile from '../../../commands/social/profile/edit.ts';
import ShowProfile from '../../../commands/social/profile/show.ts';
import Quote from '../../../commands/social/quote.ts';
import Remove from '../../../commands/social/remove.ts';
import Reply from '../../../commands/social/reply.ts';
import ReportCommand from '../../../commands/social/report.ts';
import ListReports from '../../../commands/social/reports/list.ts';
import Review from '../../../commands/social/reports/review.ts';
import Repost from '../../../commands/social/repost.ts';
import Approve from '../../../commands/social/requests/approve.ts';
import ListRequests from '../../../commands/social/requests/list.ts';
import Reject from '../../../commands/social/requests/reject.ts';
import Thread from '../../../commands/social/thread.ts';
import TimelineCommand from '../../../commands/social/timeline.ts';
import Vote from '../../../commands/social/vote.ts';
import { rootPassword, ways } from '../home.ts';
import { openMailPeople, type MailPeople } from '../mail/mail-people.ts';

describe.each(ways)('the social network from a terminal, by the way %s', (way) => {
  let people: MailPeople;
  beforeAll(async () => void (people = await openMailPeople(way, ['ada', 'bob', 'cleo'])));
  afterAll(async () => await people[Symbol.asyncDispose]());
  const run: MailPeople['run'] = async (...how) => await people.run(...how);
  const written = async (name: string, text: string): Promise<string> =>
    (await run(name, PostCommand, [text, '--json'])).json()['_id'];

  it('writes, answers, changes and deletes posts', async () => {
    const posted = await run('ada', PostCommand, [], { stdin: 'Tea at four.\n\u202eBring @bob. #tea\n' });
    expect(posted).toMatchObject({ code: 0, stderr: '' });
    const [id = '', , author, text] = posted.stdout.trimEnd().split('\t');
    expect([author, text]).toEqual(['ada', 'Tea at four. \\u{202e}Bring @bob. #tea']);
    expect((await run('bob', Like, [id])).stdout).toBe('You like the post.\n');
    expect((await run('bob', Like, [id])).stderr).toContain('You like this post already.');
    const [wrong, none] = [await run('bob', Like, ['zzz']), await run('cleo', Bookmarks)];
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('POST: must be 32 hex digits')]);
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'You have no bookmarks.\n' });
    expect((await run('cleo', TimelineCommand)).stderr).toBe('There are no posts here.\n');
    expect((await run('bob', Like, [id, '--undo'])).stdout).toBe('Your like is taken back.\n');
    expect((await run('bob', Vote, [id, 'up'])).stdout).toBe('The score of the post is 1.\n');
    const reply = (await run('bob', Reply, [id, 'I come.', '--json'])).json()['_id'];
    expect((await run('bob', Edit, [reply, 'I come, @ada.', '--json'])).json()).toMatchObject({ isEdited: true });
    expect((await run('cleo', Quote, [id, 'Me too.', '--warning', 'cake', '--json'])).json()).toMatchObject({
      postType: 'quote',
      contentWarning: 'cake',
      quotedPost: { _id: id },
    });
    const repost = (await run('bob', Repost, [id, '--json'])).json()['_id'];
    const thread = await run('ada', Thread, [reply]);
    expect(thread.stdout.split('\n').map((line) => line.split('\t')[0])).toEqual([id, reply, '']);
    const shown = await run('ada', Thread, [id], { person: [] });
    expect(shown.stdout).toMatch(/^@ada {2}\d{4}-\d\d-\d\d \d\d:\d\d\n {2}Tea at four\.\n/);
    expect(shown.stdout).toContain(`\n  ${id}  1 repost  1 reply  1 quote  score 1\n\n  @bob  `);
    expect((await run('bob', Remove, [repost])).code).toBe(2);
    expect((await run('bob', Remove, [repost, '--yes'])).stdout).toBe('The post is deleted.\n');
    expect((await run('bob', Remove, [id, '--yes'])).code).toBe(5);
  });

  it('reads timelines page by page', async () => {
    const ids = [];
    for (const number of [1, 2, 3]) ids.push(await written('cleo', `Number ${number} #count`));
    expect((await run('bob', Follow, ['cleo'])).stdout).toBe('You follow cleo.\n');
    const first = (await run('bob', TimelineCommand, ['tag', 'count', '--limit', '2', '--json'])).json();
    expect(first).toMatchObject({ posts: [{ _id: ids[2] }, { _id: ids[1] }], hasMore: true });
    const argv = ['tag', 'count', '--limit', '2', '--cursor', first.cursor, '--json'];
    expect((await run('bob', TimelineCommand, argv)).json()).toMatchObject({
      posts: [{ _id: ids[0] }],
      hasMore: false,
    });
    const home = await run('bob', TimelineCommand, ['--limit', '1'], { person: [] });
    expect(home.stdout).toContain('Number 3 #count');
    expect(home.stderr).toContain('There are more.');
    expect((await run('bob', TimelineCommand, ['user', 'cleo', '--sort', 'top'])).stdout).toContain('Number 1');
    expect((await run('bob', TimelineCommand, ['user'])).stderr).toContain('conclave social timeline user NAME');
    expect((await run('bob', TimelineCommand, ['public', 'cleo'])).code).toBe(2);
    expect((await run('bob', Followers, ['cleo'])).stdout).toMatch(/^bob\tbob\tno\tno\t[0-9a-f]{24}\n$/);
    expect((await run('cleo', Followers, ['bob', '--following', '--json'])).json()).toMatchObject({
      people: [{ username: 'cleo' }],
    });
    expect((await run('bob', Follow, ['cleo', '--undo'])).stdout).toBe('You do not follow cleo.\n');
  });

  it('asks protected members, mutes and blocks', async () => {
    const edited = await run('cleo', EditProfile, ['--bio', 'Sings', '--is-protected']);
    expect(edited.stdout).toContain('Bio\tSings\n');
    expect((await run('cleo', EditProfile)).stderr).toContain('Nothing would change.');
    expect((await run('ada', Follow, ['cleo', '--message', 'Hello'])).stdout).toBe('You asked to follow cleo.\n');
    expect((await run('cleo', ListRequests)).stdout).toMatch(/^ada\t.*\tHello\n$/);
    expect((await run('cleo', Reject, ['ada'])).stdout).toBe('ada may not follow you.\n');
    await run('ada', Follow, ['cleo']);
    expect((await run('cleo', Approve, ['ada'])).stdout).toBe('ada may follow you.\n');
    expect((await run('ada', ShowProfile, ['cleo'])).stdout).toContain('Between you\tyou follow them\n');
    expect((await run('ada', ShowProfile)).stdout).toContain('Username\tada\n');
    expect((await run('ada', Mute, ['cleo', '--for', '8h'])).stdout).toMatch(/^cleo is muted until \S+Z\.\n$/);
    expect((await run('ada', Mutes)).stdout).toContain('cleo\t');
    expect((await run('ada', Mute, ['cleo', '--undo'])).stdout).toBe('cleo is not muted any more.\n');
    expect((await run('ada', Block, ['cleo'])).stdout).toBe('cleo is blocked.\n');
    expect((await run('ada', Blocks)).stdout).toContain('cleo\t');
    expect((await run('cleo', ShowProfile, ['ada'])).code).toBe(6);
    expect((await run('ada', Block, ['cleo', '--undo'])).stdout).toBe('cleo is not blocked any more.\n');
  });

  it('reports posts, which administrators review', async () => {
    const id = await written('bob', 'Rude words');
    expect((await run('ada', ReportCommand, [id, 'Rude'])).stdout).toBe('The post is reported.\n');
    const [reportId = '', postId] = (await run('ada', ListReports)).stdout.split('\t');
    expect(postId).toBe(id);
    expect((await run('ada', Review, [reportId, 'dismiss'])).code).toBe(6);
    const root = { CONCLAVE_PASSWORD: rootPassword };
    const token = (await people.home.run(Login, ['root', '--print-token'], { env: root })).stdout.trim();
    const reviewed = await people.home.run(Review, [reportId, 'action'], { env: { CONCLAVE_TOKEN: token } });
    expect(reviewed).toMatchObject({ code: 0, stdout: 'The report is actioned.\n', stderr: '' });
  });
});
