import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Add from '../../../commands/chat/group/add.ts';
import Ban from '../../../commands/chat/group/ban.ts';
import Bans from '../../../commands/chat/group/bans.ts';
import Create from '../../../commands/chat/group/create.ts';
import Delete from '../../../commands/chat/group/delete.ts';
import Edit from '../../../commands/chat/group/edit.ts';
import Kick from '../../../commands/chat/group/kick.ts';
import Leave from '../../../commands/chat/group/leave.ts';
import Log from '../../../commands/chat/group/log.ts';
import Members from '../../../commands/chat/group/members.ts';
import Mute from '../../../commands/chat/group/mute.ts';
import Rename from '../../../commands/chat/group/rename.ts';
import Remove from '../../../commands/chat/group/remove.ts';
import Role from '../../../commands/chat/group/role.ts';
import Show from '../../../commands/chat/group/show.ts';
import Unban from '../../../commands/chat/group/unban.ts';
import Unmute from '../../../commands/chat/group/unmute.ts';
import List from '../../../commands/chat/list.ts';
import Pin from '../../../commands/chat/pin.ts';
import Promote from '../../../commands/chat/promote.ts';
import React from '../../../commands/chat/react.ts';
import Read from '../../../commands/chat/read.ts';
import RemoveMessage from '../../../commands/chat/remove.ts';
import Retention from '../../../commands/chat/retention.ts';
import Send from '../../../commands/chat/send.ts';
import Settings from '../../../commands/chat/settings.ts';
import Unreact from '../../../commands/chat/unreact.ts';
import { briefClient } from '../../../src/client/brief-client.ts';
import { openClient } from '../../../src/client/client.ts';
import { messageLine, newMessagesIn, openNewMessages } from '../../../src/cli/chat/new-messages.ts';
import { roomNamed } from '../../../src/cli/chat/rooms/find-room.ts';
import { ways } from '../home.ts';
import { openMailPeople, type MailPeople } from '../mail/mail-people.ts';

describe('groups from a terminal', () => {
  let people: MailPeople;
  beforeAll(async () => void (people = await openMailPeople(ways[0]!, ['ada', 'bob', 'cleo', 'dan'])));
  afterAll(async () => await people[Symbol.asyncDispose]());
  const run: MailPeople['run'] = async (...how) => await people.run(...how);
  const titles = async (name: string, argv: readonly string[] = []): Promise<string[]> =>
    (await run(name, List, ['--json', ...argv])).json().items.map(({ title }: { title: string }) => title);

  it('are conversations as those of two', async () => {
    const created = await run('ada', Create, ['Tea party', 'bob', 'cleo']);
    expect(created.stdout).toMatch(/^Created #Tea party with 3 members: [0-9a-f]{32}\n$/);
    const groupId = created.stdout.trim().slice(-32);
    const sent = (await run('ada', Send, ['tea PARTY', 'Cake, @bob?', '--json'])).json();
    expect(sent).toMatchObject({ groupId, seq: 1 });
    expect((await run('bob', List)).stdout).toMatch(/^#Tea party\t1\t1\t[^\t]*\t\tCake, @bob\?\t[0-9a-f]{32}\n$/);
    const answer = (await run('bob', Send, ['#Tea party', 'Yes.', '--reply', sent.id.slice(0, 30), '--json'])).json();
    expect(answer).toMatchObject({ replyToMessageId: sent.id, conversationId: groupId });
    expect((await run('cleo', React, [groupId, sent.id, '👍'])).code).toBe(0);
    expect((await run('cleo', Unreact, ['#Tea party', sent.id, '👍'])).code).toBe(0);
    expect((await run('bob', Pin, ['Tea party', sent.id])).code).toBe(5);
    expect((await run('ada', Pin, ['Tea party', sent.id])).code).toBe(0);
    const shown = await run('cleo', Read, ['Tea party'], { person: [] });
    expect(shown.stdout).toMatch(/^ada {2}[^\n]*pinned\n {2}Cake, @bob\?\nbob {2}[^\n]*\n {2}> ada: Cake/);
    expect((await run('cleo', Settings, ['Tea party', '--archive'])).stdout).toMatch(/Archived\tyes\n$/);
    expect(await titles('cleo')).toEqual([]);
    expect(await titles('cleo', ['--archived'])).toEqual(['Tea party']);
    // Moderators can delete messages of others, members cannot.
    expect((await run('cleo', RemoveMessage, ['Tea party', answer.id, '--yes'])).code).toBe(5);
    expect((await run('ada', RemoveMessage, ['Tea party', answer.id, '--yes'])).code).toBe(0);
  });

  it('are listed among the others, and found by names that are theirs', async () => {
    await run('ada', Send, ['dan', 'Hello']);
    await run('ada', Create, ['dan', 'bob']);
    const ids = [];
    for (const name of ['Twice', 'Twice'])
      ids.push((await run('ada', Create, [name, 'bob', '--json'])).json().id as string);
    expect(await titles('ada')).toEqual(['Twice', 'Twice', 'dan', 'dan', 'Tea party']);
    const first = (await run('ada', List, ['--limit', '3', '--json'])).json();
    expect(first).toMatchObject({ hasMore: true, items: [{}, {}, { title: 'dan', type: 'group' }] });
    const rest = (await run('ada', List, ['--cursor', first.cursor, '--json'])).json();
    expect(rest.items).toMatchObject([{ title: 'dan', type: 'direct' }, { title: 'Tea party' }]);
    expect((await run('ada', List, ['--cursor', 'zzz'])).code).toBe(2);
    expect((await run('ada', Read, ['dan', '--json'])).json().items).toMatchObject([{ content: 'Hello' }]);
    expect((await run('ada', Read, ['#dan', '--json'])).json().items).toEqual([]);
    const ambiguous = await run('ada', Send, ['Twice', 'Which?']);
    expect(ambiguous).toMatchObject({ code: 7, stdout: '' });
    for (const id of ids) expect(ambiguous.stderr).toContain(id);
    expect((await run('ada', Send, ['#twice', 'Which?'])).code).toBe(7);
    expect((await run('ada', Delete, [ids[0]!, '--yes'])).stdout).toBe('Deleted #Twice.\n');
    expect((await run('ada', Show, ['twice', '--json'])).json()).toMatchObject({ id: ids[1], role: 'owner' });
    expect((await run('ada', Read, ['#nothing'])).stderr).toContain('in no group or channel "nothing"');
    expect((await run('ada', Send, ['nothing', 'Hi'])).stderr).toContain('in no group or channel of this name');
    expect((await run('dan', Read, [ids[1]!])).code).toBe(6);
  });

  it('have members and roles', async () => {
    expect((await run('ada', Add, ['Tea party', 'dan'])).stdout).toBe('Added 1 member to #Tea party.\n');
    expect(await run('ada', Add, ['Tea party', 'dan'])).toMatchObject({ code: 7, stdout: '' });
    expect((await run('ada', Add, ['Tea party', 'nobody'])).code).toBe(6);
    expect((await run('ada', Role, ['Tea party', 'bob', 'moderator'])).stdout).toContain(
      'bob in #Tea party: moderator',
    );
    expect((await run('bob', Role, ['Tea party', 'dan', 'admin'])).code).toBe(5);
    expect((await run('ada', Role, ['Tea party', 'bob', 'king'])).code).toBe(2);
    const members = await run('dan', Members, ['Tea party']);
    expect(members.stdout.split('\n').map((line) => line.split('\t').slice(0, 2).join(' '))).toEqual(
      expect.arrayContaining(['ada owner', 'bob moderator', 'cleo member', 'dan member']),
    );
    const moderators = (await run('dan', Members, ['Tea party', '--role', 'moderator', '--json'])).json();
    expect(moderators).toMatchObject({ items: [{ role: 'moderator' }], hasMore: false });
    expect((await run('bob', Remove, ['Tea party', 'dan'])).code).toBe(5);
    expect((await run('ada', Remove, ['Tea party', 'dan'])).stdout).toBe('dan is not in #Tea party any more.\n');
    expect((await run('ada', Leave, ['Tea party'])).stderr).toContain('Make another member the owner');
    expect((await run('ada', Role, ['Tea party', 'bob', 'owner'])).code).toBe(2);
    expect((await run('ada', Role, ['Tea party', 'bob', 'owner', '--yes'])).code).toBe(0);
    expect((await run('ada', Rename, ['Tea party', 'Cakes'])).code).toBe(5);
    expect((await run('bob', Rename, ['Tea party', 'Cakes'])).stdout).toBe('The group is #Cakes.\n');
    expect((await run('bob', Delete, ['Cakes'])).code).toBe(2);
  });

  it('have moderators', async () => {
    const muted = await run('bob', Mute, ['Cakes', 'cleo', '--for', '1h', '--reason', 'Loud']);
    expect(muted.stdout).toMatch(/^cleo is muted in #Cakes until \d{4}-/);
    expect((await run('cleo', Send, ['Cakes', 'But'])).stderr).toContain('You are muted here');
    expect((await run('bob', Unmute, ['Cakes', 'cleo'])).stdout).toBe('cleo can speak in #Cakes.\n');
    expect((await run('bob', Mute, ['Cakes', 'cleo'])).code).toBe(2);
    for (const time of ['never', 'soon', '2001-01-01', '99999d'])
      expect(await run('bob', Mute, ['Cakes', 'cleo', '--for', time])).toMatchObject({ code: 2, stdout: '' });
    expect((await run('bob', Kick, ['Cakes', 'cleo', '--for', '1w'])).code).toBe(2);
    const kicked = await run('bob', Kick, ['Cakes', 'cleo', '--ban', '--for', '1w', '--reason', 'Loud']);
    expect(kicked.stdout).toBe('cleo is banned from #Cakes.\n');
    expect((await run('cleo', Read, ['Cakes'])).code).toBe(6);
    expect((await run('bob', Ban, ['Cakes', 'dan'])).stdout).toBe('dan is banned from #Cakes.\n');
    expect((await run('bob', Bans, ['Cakes'])).stdout).toMatch(
      /^dan\tbob\t[^\n]*\ncleo\tbob\t[^\n]*\tLoud\t[0-9a-f]{24}\n$/,
    );
    expect((await run('ada', Add, ['Cakes', 'dan'])).code).toBe(7);
    expect((await run('bob', Unban, ['Cakes', 'dan'])).code).toBe(0);
    expect((await run('bob', Unban, ['Cakes', 'dan'])).code).toBe(6);
    expect((await run('ada', Kick, ['Cakes', 'bob'])).code).toBe(5);
    const log = await run('ada', Log, ['Cakes', '--limit', '2']);
    expect(log.stdout).toMatch(/\tunban\tdan\tbob\t[^\n]*\n[^\n]*\tban\tdan\tbob\t/);
    expect(log.stderr).toContain('There are more');
  });

  it('grow out of a conversation of two', async () => {
    await run('cleo', Send, ['dan', 'Before']);
    const promoted = await run('cleo', Promote, ['dan', 'bob', '--name', 'Three']);
    expect(promoted.stdout).toBe('The group is #Three, with 3 members.\n');
    expect((await run('dan', Read, ['Three', '--json'])).json().items).toMatchObject([{ content: 'Before' }]);
    expect((await run('bob', Read, ['Three', '--json'])).json().items).toEqual([]);
    expect((await run('cleo', Promote, ['dan', 'bob'])).code).toBe(6);
    expect((await run('dan', Leave, ['Three'])).stdout).toBe('You are not in #Three any more.\n');
    expect((await run('bob', Log, ['Three'])).code).toBe(5);
    await run('cleo', Kick, ['Three', 'bob']);
    expect(await run('cleo', Leave, ['Three'])).toMatchObject({ code: 2, stdout: '' });
    expect((await run('cleo', Leave, ['Three', '--yes'])).code).toBe(0);
    expect((await run('cleo', Read, ['#Three'])).code).toBe(6);
  });

  it('are told of with their names, also to whoever came later', async () => {
    const env = { ...people.home.env, CONCLAVE_TOKEN: people.tokens['dan'] };
    await using client = await briefClient(async () => await openClient({ env, userAgent: 'test', command: 'test' }));
    const all = await openNewMessages(client);
    await run('bob', Add, ['Cakes', 'dan']);
    expect(await all()).toEqual([]);
    const one = newMessagesIn(client, await roomNamed(client, 'Cakes', 'group'));
    await run('bob', Create, ['Silent', 'dan']);
    await run('bob', Send, ['Cakes', 'Hello dan']);
    const told = await all();
    expect(told.map(messageLine)).toEqual([expect.stringMatching(/^[0-9a-f]{32}\t#Cakes\tbob\tHello dan$/)]);
    expect(await one()).toEqual(told);
    expect(await all()).toEqual([]);
  });

  it('keep messages for as long as somebody decides', async () => {
    await run('ada', Create, ['Brief', 'bob']);
    expect((await run('bob', Retention, ['Brief'])).stdout).toBe('Messages are kept in Brief: no end.\n');
    expect((await run('ada', Retention, ['Brief', 'long'])).stderr).toContain('The time must be a time such as 12h');
    expect((await run('ada', Retention, ['Brief', '7d'])).stderr).toContain('--yes');
    expect((await run('bob', Retention, ['Brief', '7d', '--yes'])).code).toBe(5);
    expect((await run('ada', Retention, ['Brief', '7d', '--yes'])).stdout).toBe('Messages are kept in Brief: 1w.\n');
    // Longer, it erases nothing more.
    expect((await run('ada', Retention, ['Brief', '30d', '--json'])).json()).toMatchObject({
      retentionMs: 2_592_000_000,
    });
    const edited = await run('ada', Edit, ['Brief', '--retention', 'off']);
    expect(edited.stdout).toContain('Messages are kept\tno end\n');
    await run('bob', Send, ['ada', 'Between us']);
    expect((await run('bob', Retention, ['ada', '12h', '--yes'])).stdout).toBe('Messages are kept in ada: 12h.\n');
    expect((await run('ada', Retention, ['bob'])).stdout).toBe('Messages are kept in bob: 12h.\n');
  });

  it('have a slow mode', async () => {
    await run('ada', Create, ['Slow', 'bob']);
    for (const argv of [[], ['--slow', 'soon'], ['--slow', '30']])
      expect((await run('ada', Edit, ['Slow', ...argv])).code).toBe(2);
    expect((await run('bob', Edit, ['Slow', '--slow', '5m'])).code).toBe(5);
    expect((await run('ada', Edit, ['Slow', '--slow', '90m'])).stdout).toBe(
      'Name\tSlow\nSlow mode\tone message in 90m\nMessages are kept\tno end\n',
    );
    expect((await run('bob', Send, ['Slow', 'One'])).code).toBe(0);
    const second = await run('bob', Send, ['Slow', 'Two']);
    expect([second.code, second.stderr]).toEqual([9, expect.stringContaining('one message in 5400 s')]);
    const named = await run('ada', Edit, ['Slow', '--name', 'Quick', '--slow', 'off', '--json']);
    expect(named.json()).toMatchObject({ name: 'Quick', slowModeSeconds: 0 });
    expect((await run('bob', Send, ['Quick', 'Three'])).code).toBe(0);
  });
});
