import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Add from '../../../commands/chat/channel/add.ts';
import Ban from '../../../commands/chat/channel/ban.ts';
import Bans from '../../../commands/chat/channel/bans.ts';
import Create from '../../../commands/chat/channel/create.ts';
import Delete from '../../../commands/chat/channel/delete.ts';
import Edit from '../../../commands/chat/channel/edit.ts';
import Invite from '../../../commands/chat/channel/invite.ts';
import Invites from '../../../commands/chat/channel/invites.ts';
import Join from '../../../commands/chat/channel/join.ts';
import Kick from '../../../commands/chat/channel/kick.ts';
import Leave from '../../../commands/chat/channel/leave.ts';
import List from '../../../commands/chat/channel/list.ts';
import Log from '../../../commands/chat/channel/log.ts';
import Members from '../../../commands/chat/channel/members.ts';
import Mute from '../../../commands/chat/channel/mute.ts';
import Remove from '../../../commands/chat/channel/remove.ts';
import Role from '../../../commands/chat/channel/role.ts';
import Show from '../../../commands/chat/channel/show.ts';
import Unban from '../../../commands/chat/channel/unban.ts';
import Uninvite from '../../../commands/chat/channel/uninvite.ts';
import Unmute from '../../../commands/chat/channel/unmute.ts';
import EditMessage from '../../../commands/chat/edit.ts';
import CreateGroup from '../../../commands/chat/group/create.ts';
import ShowGroup from '../../../commands/chat/group/show.ts';
import ListAll from '../../../commands/chat/list.ts';
import Pin from '../../../commands/chat/pin.ts';
import React from '../../../commands/chat/react.ts';
import Read from '../../../commands/chat/read.ts';
import Send from '../../../commands/chat/send.ts';
import Settings from '../../../commands/chat/settings.ts';
import { briefClient } from '../../../src/client/brief-client.ts';
import { openClient } from '../../../src/client/client.ts';
import { messageLine, openNewMessages } from '../../../src/cli/chat/new-messages.ts';
import { fewWays } from '../home.ts';
import { openMailPeople, type MailPeople } from '../mail/mail-people.ts';

describe('channels from a terminal', () => {
  let people: MailPeople;
  beforeAll(async () => void (people = await openMailPeople(fewWays[0]!, ['ada', 'bob', 'cleo'])));
  afterAll(async () => await people[Symbol.asyncDispose]());
  const run: MailPeople['run'] = async (...how) => await people.run(...how);
  const titles = async (name: string, argv: readonly string[] = []): Promise<string[]> =>
    (await run(name, ListAll, ['--json', ...argv])).json().items.map(({ title }: { title: string }) => title);

  it('are created, found and joined', async () => {
    expect((await run('bob', List)).stderr).toContain('conclave chat channel create NAME');
    const created = await run('ada', Create, ['#tea', '--topic', 'Leaves, not bags']);
    expect(created.stdout).toMatch(/^Created the public channel #tea: [0-9a-f]{32}\n$/);
    expect((await run('ada', Create, ['vault', '--visibility', 'private'])).code).toBe(0);
    expect((await run('ada', Create, ['hush', '--visibility', 'secret', '--hide-history'])).code).toBe(0);
    expect(await run('bob', Create, ['tea'])).toMatchObject({ code: 7, stdout: '' });
    expect((await run('bob', Create, ['hush'])).stderr).toContain('This name is taken. Choose another one.');
    expect((await run('bob', Create, ['Tea time'])).code).toBe(2);
    const found = await run('bob', List);
    expect(found.stdout).toMatch(
      /^#tea\t1\tpublic\tno\tLeaves, not bags\t[0-9a-f]{32}\n#vault\t1\tprivate\tno\t-\t[0-9a-f]{32}\n$/,
    );
    const page = (await run('bob', List, ['--limit', '1', '--json'])).json();
    expect(page).toMatchObject({ items: [{ name: 'tea' }], hasMore: true });
    expect((await run('ada', Send, ['tea', 'First', '--json'])).json()).toMatchObject({ seq: 1 });
    const before = await run('bob', Show, ['tea']);
    expect(before.stdout).toMatch(
      /^Name\ttea\nTopic\tLeaves, not bags\nVisibility\tpublic\nMembers\t1\nJoined\tno\nCrea/,
    );
    expect(before.stdout).not.toContain('Unread');
    expect((await run('bob', Read, ['#tea'])).stderr).toContain('You are not in #tea. To join it, run: conclave chat');
    expect((await run('bob', Read, ['vault'])).stderr).toContain('its owner and admins can invite you');
    expect((await run('bob', Join, ['#Tea'])).stdout).toBe('You joined #tea, with 2 members.\n');
    expect((await run('bob', Join, ['tea'])).stderr).toContain("conclave chat read '#tea'");
    expect(await run('bob', Join, ['vault'])).toMatchObject({ code: 5, stdout: '' });
    expect((await run('bob', Join)).stderr).toContain('Name the channel to join, or use --invite.');
    expect((await run('bob', Show, ['#tea'])).stdout).toMatch(/New members see\tearlier.*\n[^]*Your role\tmember\n/);
    expect((await run('bob', Read, ['tea', '--json'])).json().items).toMatchObject([{ content: 'First' }]);
  });

  it('are conversations as others', async () => {
    const sent = (await run('bob', Send, ['#tea', 'Green, @ada?', '--json'])).json();
    expect((await run('ada', EditMessage, ['tea', sent.id, 'Mine'])).code).toBe(5);
    expect((await run('bob', EditMessage, ['tea', sent.id, 'Black, @ada?'])).code).toBe(0);
    expect((await run('ada', React, ['tea', sent.id.slice(0, 30), '👍'])).code).toBe(0);
    expect((await run('ada', Pin, ['tea', sent.id])).code).toBe(0);
    expect((await run('ada', ListAll)).stdout).toMatch(/^#tea\t1\t1\t[^\t]*\t\tBlack, @ada\?\t[0-9a-f]{32}\n/);
    const answer = await run('ada', Send, [sent.conversationId, 'Both.', '--reply', sent.id]);
    expect(answer.code).toBe(0);
    expect(await titles('ada')).toEqual(['tea', 'hush', 'vault']);
    const shown = await run('ada', Read, ['tea'], { person: [] });
    expect(shown.stdout).toMatch(
      /\nbob {2}[^\n]*edited, pinned\n {2}Black, @ada\?\n {2}👍 1\nada [^\n]*\n {2}> bob: Bl/,
    );
    expect((await run('bob', Settings, ['tea', '--archive'])).stdout).toMatch(/Archived\tyes\n$/);
    expect(await titles('bob', ['--archived'])).toEqual(['tea']);
  });

  it('that are secret are as unknown as those that are not there', async () => {
    for (const command of [Show, Join, Members, Invites]) {
      const [secret, none] = [await run('bob', command, ['hush']), await run('bob', command, ['none'])];
      expect(secret).toMatchObject({ code: 6, stdout: '' });
      expect(secret.stderr).toBe(none.stderr.replace('"none"', '"hush"'));
      expect(secret.stderr).toContain('conclave chat channel list');
    }
    const [secret, none] = [await run('bob', Send, ['hush', 'Hi']), await run('bob', Send, ['none', 'Hi'])];
    expect(secret).toMatchObject({ code: 6, stderr: none.stderr.replace('"none"', '"hush"') });
    const { id } = (await run('ada', Show, ['hush', '--json'])).json();
    expect((await run('bob', Show, [id])).stderr).toContain(`no channel "${id}" that you can find`);
  });

  it('are joined by invites, which are secrets', async () => {
    const made = await run('ada', Invite, ['hush', '--uses', '1', '--for', '1w']);
    expect(made.stdout).toMatch(/^[0-9a-f]{32}\/[\w-]{32}\n$/);
    expect(made.stderr).toMatch(/^One member can join #hush by it until \d{4}-[^ ]*, with: conclave chat channel join/);
    const invitation = made.stdout.trim();
    const [channelId, token] = invitation.split('/') as [string, string];
    for (const argv of [[invitation], [invitation, '--invite'], [channelId, token], [token], ['--token', token]]) {
      const refused = await run('bob', Join, argv, { stdin: '' });
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).not.toContain(token);
    }
    expect((await run('bob', Join, ['--invite'], { stdin: 'nothing\n' })).stderr).toContain('This is no invite');
    expect((await run('bob', Join, ['--invite'], { stdin: '' })).code).toBe(2);
    expect((await run('bob', Join, ['--invite'], { stdin: `${token}\n` })).stderr).toContain('by its id');
    const another = await run('bob', Join, ['tea', '--invite'], { stdin: invitation });
    expect(another.stderr).toContain('The invite is for another channel than "tea"');
    const joined = await run('bob', Join, ['--invite'], { stdin: made.stdout });
    expect(joined).toMatchObject({ code: 0, stdout: 'You joined #hush, with 2 members.\n', stderr: '' });
    expect((await run('cleo', Join, ['--invite'], { stdin: made.stdout })).stderr).toContain('Ask for a new one');

    const again = (await run('ada', Invite, ['vault', '--json'])).json();
    expect(again).toMatchObject({ maxUses: null, expiresAt: null, invitation: `${again.channelId}/${again.token}` });
    const typed = await run('cleo', Join, ['vault', '--invite'], { person: [['Invite', again.token]] });
    expect(typed.stdout).toBe('You joined #vault, with 2 members.\n');
    expect(typed.stderr).not.toContain(again.token);
    const listed = await run('ada', Invites, ['vault']);
    expect(listed.stdout).toBe(`${again.inviteId}\tada\tany\tnever\n`);
    expect((await run('cleo', Invites, ['vault'])).code).toBe(5);
    const file = await people.home.file('invite.txt', `${again.invitation}\n`);
    expect((await run('ada', Uninvite, ['vault', 'ffffffffff'])).stderr).toContain(
      'conclave chat channel invites vault',
    );
    expect((await run('ada', Uninvite, ['vault', again.channelId])).code).toBe(6);
    expect((await run('ada', Uninvite, ['vault', again.inviteId.slice(0, 12)])).stdout).toBe(
      `Nobody can join #vault by ${again.inviteId} any more.\n`,
    );
    expect(await run('bob', Join, ['--invite', '--token-file', file])).toMatchObject({ code: 6, stdout: '' });
    expect((await run('ada', Invites, ['vault'])).stderr).toContain('conclave chat channel invite vault');
  });

  it('are changed by their owner', async () => {
    expect((await run('ada', Edit, ['tea'])).stderr).toContain('Use --name, --topic, --visibility, --show-history, ');
    expect((await run('bob', Edit, ['tea', '--topic', 'Mine'])).code).toBe(5);
    expect((await run('ada', Edit, ['tea', '--name', 'vault'])).stderr).toContain('This name is taken');
    const changed = await run('ada', Edit, ['tea', '--name', '#chai', '--topic', 'Milk', '--hide-history']);
    expect(changed.stdout).toBe(
      'Name\tchai\nTopic\tMilk\nVisibility\tpublic\nNew members see\tonly what is said from then on\nSlow mode\toff\nMessages are kept\tno end\n',
    );
    expect((await run('ada', Edit, ['chai', '--show-history', '--hide-history'])).code).toBe(2);
    expect(await run('ada', Edit, ['hush', '--visibility', 'public'])).toMatchObject({ code: 2, stdout: '' });
    const asked = await run('ada', Edit, ['hush', '--visibility', 'public'], { person: [['Make #hush public?', 'n']] });
    expect(asked.stderr).toContain('Nothing was changed.');
    expect((await run('ada', Edit, ['hush', '--visibility', 'public', '--yes'])).stdout).toContain('\tpublic\n');
    expect((await run('cleo', List, ['--json'])).json().items).toMatchObject([{}, { name: 'hush' }, {}]);
  });

  it('have members, roles and moderators', async () => {
    const moderated: readonly [Parameters<typeof run>[1], string[], string][] = [
      [Add, ['chai', 'cleo'], 'Added 1 member to #chai.'],
      [Remove, ['chai', 'cleo'], 'cleo is not in #chai any more.'],
      [Role, ['chai', 'bob', 'moderator'], 'The role of bob in #chai: moderator.'],
      [Ban, ['chai', 'cleo'], 'cleo is banned from #chai.'],
      [Bans, ['chai'], 'cleo\tada\t'],
      [Unban, ['chai', 'cleo'], 'cleo is not banned from #chai.'],
      [Mute, ['chai', 'bob', '--for', '1h'], 'bob is muted in #chai until'],
      [Unmute, ['chai', 'bob'], 'bob can speak in #chai.'],
      [Members, ['chai', '--role', 'moderator'], 'bob\tmoderator\t'],
      [Kick, ['chai', 'bob'], 'bob is not in #chai any more.'],
      [Log, ['chai', '--limit', '1'], '\tkick\tbob\tada\t'],
    ];
    for (const [command, argv, said] of moderated) expect((await run('ada', command, argv)).stdout).toContain(said);
    expect((await run('bob', Join, ['chai'])).code).toBe(0);
    expect((await run('bob', Leave, ['chai'])).stdout).toBe('You are not in #chai any more.\n');
    expect(await run('ada', Leave, ['chai'])).toMatchObject({ code: 2, stdout: '' });
    expect((await run('ada', Delete, ['chai', '--yes'])).stdout).toBe('Deleted #chai.\n');
    expect((await run('ada', Create, ['chai'])).code).toBe(0);
  });

  it('may have the name of a group or of a member', async () => {
    const group = (await run('ada', CreateGroup, ['chai', 'bob', '--json'])).json();
    const channel = (await run('ada', Show, ['chai', '--json'])).json();
    for (const name of ['chai', '#chai']) {
      const both = await run('ada', Send, [name, 'Which?']);
      expect(both).toMatchObject({ code: 7, stdout: '' });
      expect(both.stderr).toContain(`${group.id}: group chai, 2 members`);
      expect(both.stderr).toContain(`${channel.id}: channel chai, 1 member`);
    }
    expect((await run('ada', Send, [channel.id, 'This'])).code).toBe(0);
    expect((await run('ada', ShowGroup, ['chai', '--json'])).json()).toMatchObject({ id: group.id });
    expect((await run('ada', Members, [group.id])).code).toBe(6);
    await run('ada', Create, ['bob']);
    expect((await run('ada', Send, ['#bob', 'A channel', '--json'])).json()).toMatchObject({ seq: 1 });
    expect((await run('ada', Read, ['bob'])).stderr).toContain('You have no conversation with bob');
  });

  it('are told of from the moment at which somebody joins', async () => {
    const env = { ...people.home.env, CONCLAVE_TOKEN: people.tokens['cleo'] };
    await using client = await briefClient(async () => await openClient({ env, userAgent: 'test', command: 'test' }));
    const news = await openNewMessages(client);
    await run('cleo', Join, ['chai']);
    expect((await run('cleo', Read, ['#chai', '--json'])).json().items).toMatchObject([{ content: 'This' }]);
    expect(await news()).toEqual([]);
    await run('ada', Send, [(await run('ada', Show, ['chai', '--json'])).json().id, 'Hello cleo']);
    expect((await news()).map(messageLine)).toEqual([expect.stringMatching(/^[0-9a-f]{32}\t#chai\tada\tHello cleo$/)]);
  });
});
