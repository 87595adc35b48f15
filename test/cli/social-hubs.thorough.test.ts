import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Register from '../../commands/account/register.ts';
import Login from '../../commands/login.ts';
import Add from '../../commands/social/hub/add.ts';
import Ban from '../../commands/social/hub/ban.ts';
import Banned from '../../commands/social/hub/banned.ts';
import Create from '../../commands/social/hub/create.ts';
import Delete from '../../commands/social/hub/delete.ts';
import Edit from '../../commands/social/hub/edit.ts';
import Join from '../../commands/social/hub/join.ts';
import Leaderboard from '../../commands/social/hub/leaderboard.ts';
import Leave from '../../commands/social/hub/leave.ts';
import Log from '../../commands/social/hub/log.ts';
import Members from '../../commands/social/hub/members.ts';
import Moderators from '../../commands/social/hub/moderators.ts';
import Remove from '../../commands/social/hub/remove.ts';
import RemovePost from '../../commands/social/hub/remove-post.ts';
import Show from '../../commands/social/hub/show.ts';
import TempBan from '../../commands/social/hub/temp-ban.ts';
import Transfer from '../../commands/social/hub/transfer.ts';
import Unban from '../../commands/social/hub/unban.ts';
import Warn from '../../commands/social/hub/warn.ts';
import Hubs from '../../commands/social/hubs.ts';
import Post from '../../commands/social/post.ts';
import Report from '../../commands/social/report.ts';
import Reports from '../../commands/social/reports/list.ts';
import Timeline from '../../commands/social/timeline.ts';
import { openHome, type Home } from './home.ts';

describe('hubs on the command line', () => {
  let home: Home;
  const tokens: Record<string, string> = {};
  const run = async (name: string, command: Parameters<Home['run']>[0], ...argv: string[]) =>
    await home.run(command, argv, { env: { CONCLAVE_TOKEN: tokens[name] } });
  beforeAll(async () => {
    home = await openHome('url');
    for (const name of ['ada', 'bob', 'cyd']) {
      const env = { CONCLAVE_PASSWORD: `the long secret of ${name}` };
      await home.run(Register, ['--username', name, '--email', `${name}@home.test`], { env });
      tokens[name] = (await home.run(Login, [name, '--print-token'], { env })).stdout.trim();
    }
  });
  afterAll(async () => await home[Symbol.asyncDispose]());

  it('are created, found, joined and left', async () => {
    const made = await run('ada', Create, 'Garden & Bees', '--description', 'Honey', '--slug', 'garden');
    expect(made).toMatchObject({
      code: 0,
      stdout: 'Created the hub garden.\nOthers join with: conclave social hub join garden\n',
    });
    expect((await run('bob', Hubs)).stderr).toBe(
      'You are in no hub. To find some, run: conclave social hubs --explore\n',
    );
    const found = await run('bob', Hubs, '--explore', '--query', 'honey', '--json');
    expect(found.json()).toMatchObject({ hubs: [{ slug: 'garden', memberCount: 1 }], hasMore: false });
    expect((await run('bob', Join, 'garden')).stdout).toBe('You are a member of garden.\n');
    expect(await run('bob', Join, 'garden')).toMatchObject({ code: 2, stdout: '' });
    expect((await run('bob', Hubs)).stdout).toMatch(/^garden\tGarden & Bees\topen\t2\t0\t[0-9a-f]{32}\n$/);
    await run('bob', Create, 'Bees');
    const limited = await run('bob', Hubs, '--limit', '1');
    expect([limited.stdout.split('\n').length, limited.stderr]).toEqual([2, 'There are more. Use --limit or --all.\n']);
    expect((await run('bob', Hubs, '--all')).stdout.split('\n')).toHaveLength(3);
    const shown = await run('bob', Show, 'garden');
    expect(shown.stdout).toContain('About\tHoney\n');
    expect(shown.stdout).toContain('You\tmember\n');
    expect((await run('bob', Leave, 'garden')).stdout).toBe('You left garden.\n');
    expect(await run('ada', Leave, 'garden')).toMatchObject({
      code: 5,
      stderr: 'Error: The owner cannot leave the hub. Make another member the owner first.\n',
    });
    expect(await run('bob', Show, 'nowhere')).toMatchObject({ code: 6, stderr: 'Error: There is no such hub.\n' });
  });

  it('are changed, and have members and moderators', async () => {
    expect((await run('ada', Add, 'garden', 'bob', 'cyd')).stdout).toBe('Added 2 members to garden.\n');
    expect((await run('ada', Remove, 'garden', 'cyd')).stdout).toBe('Removed 1 member from garden.\n');
    expect((await run('bob', Edit, 'garden', '--name', 'Mine')).code).toBe(5);
    await run('ada', Edit, 'garden', '--rules', 'Be kind.\nNo ads.');
    expect((await run('bob', Show, 'garden')).stdout).toContain('Rules\tBe kind.\n\tNo ads.\n');
    expect((await run('ada', Edit, 'garden', '--rules', 'Be kind', '--tier', 'verified')).stdout).toBe(
      'Changed the hub garden.\n',
    );
    await run('ada', Edit, 'garden', '--tier', 'open');
    const moderators = (await run('ada', Moderators, 'garden', '--add', 'bob', '--json')).json();
    expect(moderators.moderators.map(({ username }: { username: string }) => username)).toEqual(['ada', 'bob']);
    const members = (await run('cyd', Members, 'garden')).stdout.split('\n').map((line) => line.split('\t'));
    expect(members.slice(0, 2).map(([name, , role]) => [name, role])).toEqual([
      ['ada', 'owner'],
      ['bob', 'moderator'],
    ]);
  });

  it('are moderated, with a log', async () => {
    await run('cyd', Join, 'garden');
    expect((await run('bob', Warn, 'garden', 'cyd')).code).toBe(2);
    expect((await run('bob', Warn, 'garden', 'cyd', '--reason', 'Be kind')).stdout).toBe('Warned cyd in garden.\n');
    expect((await run('cyd', Show, 'garden')).stdout).toContain('You\tmember, with 1 warning\n');
    const banned = await run('bob', TempBan, 'garden', 'cyd', '--days', '7', '--reason', 'Noise');
    expect(banned.stdout).toMatch(/^Banned cyd from garden until \d{4}-.*Z\.\n$/);
    expect(await run('cyd', Join, 'garden')).toMatchObject({ code: 5, stdout: '' });
    expect((await run('cyd', Show, 'garden')).stdout).toMatch(/You\tbanned until \d{4}-/);
    expect((await run('bob', Ban, 'garden', 'cyd')).stdout).toBe('Banned cyd from garden.\n');
    expect((await run('bob', Banned, 'garden')).stdout).toMatch(/^cyd\t\d{4}-.*\t-\t-\n$/);
    expect((await run('bob', Unban, 'garden', 'cyd')).stdout).toBe('cyd can join garden again.\n');
    const log = await run('bob', Log, 'garden', '--person', 'cyd', '--json');
    expect(log.json().entries.map(({ action }: { action: string }) => action)).toEqual([
      'unban',
      'permanent_ban',
      'temp_ban',
      'warning',
      'remove_member',
      'add_member',
    ]);
    expect((await run('cyd', Log, 'garden')).code).toBe(5);
  });

  it('have posts of their own', async () => {
    const post = (await run('bob', Post, 'Who waters?', '--hub', 'garden', '--json')).json();
    expect(post).toMatchObject({ visibility: 'hub', content: 'Who waters?' });
    expect((await run('ada', Timeline, 'hub', 'garden')).stdout).toContain('Who waters?');
    expect((await run('cyd', Timeline, 'hub', 'garden')).stdout).toBe('');
    expect((await run('cyd', Post, 'Me', '--hub', 'garden')).code).toBe(5);
    expect((await run('bob', Post, '--hub', 'garden', 'Behind the hub')).stdout).toContain('Behind the hub');
    expect((await run('ada', Report, post['_id'], 'Rude\nwords', '--hub', 'garden')).stdout).toBe(
      'The post is reported.\n',
    );
    const listed = await run('ada', Reports, '--hub', 'garden');
    expect(listed.stdout).toMatch(new RegExp(`\t${post['_id']}\tpending\t.*\tRude words\n$`, 'u'));
    const seen = await home.run(Reports, [], { env: { CONCLAVE_TOKEN: tokens['ada'] }, person: [] });
    expect(seen.stdout.split('\n').every((line) => line.length <= 80)).toBe(true);
    expect(seen.stdout).toMatch(/\n[0-9a-f]{32} .*Rude words\n/);
    const disputed = await run('ada', Timeline, 'hub', 'garden', '--sort', 'controversial');
    expect(disputed.stdout).toContain('Who waters?');
    expect((await run('ada', Timeline, 'public', '--sort', 'controversial')).code).toBe(2);
    expect((await run('ada', Leaderboard, 'garden')).stdout).toMatch(/^bob\t0\t0\t2\t/);
    expect((await run('cyd', Leaderboard, 'garden')).code).toBe(5);
    const removed = await run('ada', RemovePost, 'garden', post['_id']);
    expect(removed.stdout).toBe('The post is not in garden any more.\n');
    expect((await run('ada', Timeline, 'hub', 'garden')).stdout).not.toContain('Who waters?');
  });

  it('are handed over and deleted when that is confirmed', async () => {
    expect((await run('ada', Transfer, 'garden', 'bob')).stderr).toContain('--yes');
    expect((await run('ada', Transfer, 'garden', 'bob', '--yes')).stdout).toBe('bob owns garden.\n');
    expect((await run('ada', Delete, 'garden', '--yes')).code).toBe(5);
    expect((await run('bob', Delete, 'garden', '--yes')).stdout).toBe('Deleted the hub garden.\n');
    expect((await run('bob', Show, 'garden')).code).toBe(6);
  });
});
