import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import SendChat from '../../commands/chat/send.ts';
import ListChat from '../../commands/chat/list.ts';
import ReadChat from '../../commands/chat/read.ts';
import Login from '../../commands/login.ts';
import Block from '../../commands/social/block.ts';
import Follow from '../../commands/social/follow.ts';
import EditProfile from '../../commands/social/profile/edit.ts';
import Messages from '../../commands/social/messages.ts';
import Accept from '../../commands/social/message/accept.ts';
import Decline from '../../commands/social/message/decline.ts';
import Delete from '../../commands/social/message/delete.ts';
import Edit from '../../commands/social/message/edit.ts';
import Forward from '../../commands/social/message/forward.ts';
import Add from '../../commands/social/message/group/add.ts';
import Create from '../../commands/social/message/group/create.ts';
import RemoveMember from '../../commands/social/message/group/remove.ts';
import GroupSettings from '../../commands/social/message/group/settings.ts';
import Show from '../../commands/social/message/group/show.ts';
import React from '../../commands/social/message/react.ts';
import Read from '../../commands/social/message/read.ts';
import Remove from '../../commands/social/message/remove.ts';
import Report from '../../commands/social/message/report.ts';
import Reports from '../../commands/social/message/reports.ts';
import Requests from '../../commands/social/message/requests.ts';
import Review from '../../commands/social/message/review.ts';
import SearchCommand from '../../commands/social/message/search.ts';
import Send from '../../commands/social/message/send.ts';
import Settings from '../../commands/social/message/settings.ts';
import Unreact from '../../commands/social/message/unreact.ts';
import { briefClient } from '../../src/client/brief-client.ts';
import { openClient } from '../../src/client/client.ts';
import { newsIn, openNews } from '../../src/cli/chat/conversation-news.ts';
import { conversationTable } from '../../src/cli/chat/conversation-table.ts';
import { messageLine, watchMessages } from '../../src/cli/chat/new-messages.ts';
import { socialConversationNamed } from '../../src/cli/social/messages/find-conversation.ts';
import { socialPagesOf } from '../../src/cli/social/messages/messages.ts';
import { openRequestNews, requestWords, watchWithRequests } from '../../src/cli/social/messages/request-news.ts';
import { socialConversations } from '../../src/cli/social/messages/own-conversations.ts';
import type { SocialMessage } from '../../src/contract/social/message.ts';
import { sample } from '../services/filevault/pictures.ts';
import { elapses } from '../support/real-time.ts';
import { rootPassword, fewWays } from './home.ts';
import { openMailPeople, type MailPeople } from './mail/mail-people.ts';
import { writeFile } from 'node:fs/promises';

/** What a node stores. */
const turned = 'Look\n\u202egnp.exe\u2066';
// oxlint-disable-next-line no-control-regex -- what must not reach a terminal
const harmful = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const names = ['ada', 'bob', 'cleo', 'dan', 'eve'];

describe.each(fewWays)('messages of the social network from a terminal, by the way %s', (way) => {
  let people: MailPeople;
  const run: MailPeople['run'] = async (...how) => await people.run(...how);
  const sent = async (from: string, to: string, text: string): Promise<SocialMessage & { request?: string }> =>
    (await run(from, Send, [to, text, '--json'])).json();
  const friends = async (one: string, other: string): Promise<void> => {
    await run(one, Follow, [other]);
    await run(other, Follow, [one]);
  };
  beforeAll(async () => {
    people = await openMailPeople(way, names);
    for (const other of ['bob', 'cleo']) await friends('ada', other);
  });
  afterAll(async () => await people[Symbol.asyncDispose]());

  it('are sent, listed, read and answered', async () => {
    const none = await run('ada', Messages);
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'There are no conversations here.\n' });
    const first = await run('ada', Send, ['bob'], { stdin: 'Tea at four?\nI bring cake.\n' });
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const [id = '', , from, ...rest] = first.stdout.trimEnd().split('\t');
    expect([from, ...rest]).toEqual(['ada', '', '', '', '', 'Tea at four? I bring cake.']);
    expect((await run('bob', Messages)).stdout.split('\t').slice(0, 2)).toEqual(['ada', '1']);
    const listed = (await run('bob', Messages, ['--json'])).json();
    expect(listed).toMatchObject({ conversations: [{ title: 'ada', unreadCount: 1 }], waitingRequests: 0 });
    expect((await run('bob', Read, ['ADA', '--keep-unread'])).stdout).toBe(first.stdout);
    const file = await people.home.file('answer.txt', 'I come.\n');
    const answer = (await run('bob', Send, ['ada', '--file', file, '--reply-to', id.slice(0, 20), '--json'])).json();
    expect(answer).toMatchObject({ content: 'I come.', replyToMessageId: id, seq: 2 });
    expect(answer).not.toHaveProperty('request');
    const shown = await run('ada', Read, ['bob'], { person: [] });
    expect(shown.stdout).toMatch(/^ada {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}[0-9a-f]{12,}\n {2}Tea at four\?\n {2}I bring/);
    expect(shown.stdout).toMatch(/\nbob {2}[^\n]*\n {2}> ada: Tea at four\? I bring cake\.\n {2}I come\.\n$/);
    expect((await run('ada', Messages, ['--json'])).json().conversations).toMatchObject([{ unreadCount: 0 }]);
    // By the id of the conversation and of the member too.
    const page = (await run('ada', Read, [answer.conversationId, '--json', '--limit', '1'])).json();
    expect(page).toMatchObject({ title: 'bob', messages: [{ _id: answer['_id'] }], hasMore: true });
    const older = (await run('ada', Read, ['bob', '--cursor', page.cursor, '--json'])).json();
    expect(older).toMatchObject({ messages: [{ _id: id }], hasMore: false });
    const around = await run('ada', Read, ['bob', '--around', id, '--limit', '1', '--json']);
    expect(around.json().messages).toMatchObject([{ _id: id }]);
    expect((await run('ada', Send, [answer.senderId, 'Good.'])).code).toBe(0);
    expect((await run('bob', Read, ['ada', '--unread', '--json'])).json().messages).toMatchObject([
      { content: 'Good.' },
    ]);
    expect((await run('bob', Read, ['ada', '--unread'])).stderr).toBe('There are no messages to show.\n');
  });

  it('are requests between those who do not follow each other', async () => {
    const asked = await run('dan', Send, ['ada', 'May I come too?']);
    expect(asked.code).toBe(0);
    expect(asked.stderr).toContain('You can send more when ada accepts it');
    expect((await run('dan', Messages)).stdout).toMatch(/^ada\t0\t0\t[^\t]*\trequest\tMay I come too\?\t/);
    const again = await run('dan', Send, ['ada', 'Well?']);
    expect(again).toMatchObject({
      code: 5,
      stdout: '',
      stderr: expect.stringContaining('ada has not accepted your message'),
    });
    expect((await run('ada', Messages)).stderr).toContain('1 message request for you.');
    expect((await run('ada', Requests)).stdout).toMatch(/^dan\t[^\t]*\tpending\tMay I come too\?\t[0-9a-f]{32}\n$/);
    const read = await run('ada', Read, ['dan']);
    expect([read.stdout, read.stderr]).toEqual([
      expect.stringContaining('May I come too?'),
      expect.stringContaining('conclave social message accept dan'),
    ]);
    expect(await run('ada', Accept, ['eve'])).toMatchObject({ code: 6, stdout: '' });
    expect((await run('ada', Accept, ['dan'])).stdout).toBe('dan can write to you.\n');
    expect((await run('ada', Accept, ['dan'])).stderr).toContain('conclave social message requests');
    expect((await run('dan', Send, ['ada', 'Thanks.'])).stderr).toBe('');
    // An answer accepts, and so does what somebody writes who declined.
    await run('eve', Send, ['ada', 'And I?']);
    expect((await run('ada', Send, ['eve', 'Yes.'])).stderr).toBe('The message request is accepted.\n');
    await run('eve', Send, ['bob', 'Hello?']);
    expect((await run('bob', Decline, ['eve'])).stdout).toBe(
      'You declined the message request of eve, who is told nothing.\n',
    );
    expect((await run('bob', Requests)).stderr).toBe('There are no message requests.\n');
    expect((await run('bob', Requests, ['--status', 'declined'])).stdout).toMatch(/^eve\t/);
    expect((await run('eve', Messages)).stdout).toContain('\trequest\tHello?\t');
    expect((await run('bob', Send, ['eve', 'Hello.'])).stderr).toBe('The message request is accepted.\n');
  });

  it('are refused with what to do about it', async () => {
    await run('eve', EditProfile, ['--no-allow-dms-from-non-followers']);
    expect((await run('dan', Send, ['eve', 'Hi'])).stderr).toContain('conclave social follow eve');
    await run('cleo', Block, ['dan']);
    expect((await run('cleo', Send, ['dan', 'Hi'])).stderr).toContain('conclave social block dan --undo');
    const unknown = await run('ada', Send, ['zoe', 'Hi']);
    expect(unknown).toMatchObject({ code: 6, stderr: expect.stringContaining('There is no member "zoe"') });
    expect((await run('bob', Read, ['dan'])).stderr).toContain('conclave social message send dan');
    expect((await run('ada', Read, ['ada'])).stderr).toContain('no conversation with yourself');
    expect((await run('ada', Send, ['ada', 'Hi'])).stderr).toContain('must not be yourself');
    expect((await run('ada', Read, ['#nowhere'])).stderr).toContain('conclave social messages');
    expect(await run('ada', Read, ['f'.repeat(32)])).toMatchObject({ code: 6, stdout: '' });
    expect((await run('bob', Send, ['ada'], { stdin: '\n' })).stderr).toContain('must have visible characters');
    expect((await run('bob', Edit, ['zzz', 'x'])).code).toBe(6);
    expect((await run('ada', GroupSettings, ['x'])).code).toBe(2);
    expect((await run('ada', Review, ['0'.repeat(32)])).code).toBe(2);
    expect((await run('ada', SearchCommand, [])).code).toBe(2);
  });

  it('are changed, marked, forwarded, found and deleted', async () => {
    const { _id: id } = await sent('ada', 'bob', 'Roses at four?');
    const short = id.slice(0, 30);
    expect((await run('ada', Edit, [short, 'Roses at five?'])).stdout).toMatch(
      /\tada\tedited\t\t\t\tRoses at five\?\n$/,
    );
    expect((await run('bob', React, [short, '\u2764'])).stdout).toBe('You reacted with \u2764\ufe0f.\n');
    expect((await run('ada', React, [id, 'tea'])).stderr).toContain('must be one emoji');
    expect((await run('bob', Unreact, [id, '\u2764'])).stdout).toMatch(/^You took \u2764\ufe0f? back\.\n$/);
    expect((await run('bob', Unreact, [id, '\u2764'])).code).toBe(6);
    expect((await run('ada', Forward, [short, 'cleo'])).stderr).toContain('conclave social message send cleo');
    await sent('ada', 'cleo', 'Look:');
    const forwarded = await run('ada', Forward, [short, 'cleo']);
    expect(forwarded.stdout).toMatch(/\tada\tforwarded\t\t\t\tRoses at five\?\n$/);
    const found = (await run('bob', SearchCommand, ['roses'])).stdout;
    expect(found).toMatch(/^ada\t[0-9a-f]{32}\t[^\t]*\tada\tedited\t\t\t\tRoses at five\?\n$/);
    const within = (await run('ada', SearchCommand, ['--in', 'cleo', 'roses', '--json'])).json();
    expect(within).toMatchObject({ messages: [{ forwardedFromId: id }], hasMore: false });
    expect((await run('ada', SearchCommand, ['tulips'])).stderr).toBe('No message found.\n');
    expect((await run('bob', Remove, [short, '--yes'])).code).toBe(5);
    expect(await run('ada', Remove, [short])).toMatchObject({ code: 2, stdout: '' });
    expect((await run('ada', Remove, [short, '--yes'])).stdout).toBe(`Deleted ${id}.\n`);
    expect((await run('bob', Read, ['ada', '--limit', '1'])).stdout).toMatch(/\tada\tdeleted\t\t\t\t\(deleted\)\n$/);
  });

  it('are in groups with a name, members and a picture', async () => {
    const created = await run('ada', Create, ['Tea party', 'bob']);
    expect(created.stdout).toMatch(/^Created #Tea party with 2 members: [0-9a-f]{32}\n$/);
    expect((await run('bob', Add, ['tea PARTY', 'cleo'])).stdout).toBe('Added 1 member to #Tea party.\n');
    const picture = `${people.home.folder}/tea.jpg`;
    await writeFile(picture, sample('progressiveJpeg'));
    const changed = await run('bob', GroupSettings, ['Tea party', '--name', 'Cake', '--picture', picture]);
    expect(changed.stdout).toMatch(/^Name\tCake\nPicture\t\/api\/social\/media\/[0-9a-f]{32}\n$/);
    expect((await run('cleo', GroupSettings, ['Cake', '--no-picture'])).stdout).toBe('Name\tCake\nPicture\t-\n');
    expect(await sent('cleo', '#cake', '@bob, four?')).toMatchObject({ seq: 1 });
    expect((await run('bob', Messages)).stdout).toMatch(/^#Cake\t1\t1\t[^\t]*\t\t@bob, four\?\t[0-9a-f]{32}\n/);
    const shown = (await run('ada', Show, ['Cake'])).stdout;
    expect(shown).toMatch(/^Name\tCake\nOwner\tada\nMembers\tada, bob, cleo\n/);
    expect((await run('bob', RemoveMember, ['Cake', 'cleo'])).code).toBe(5);
    expect((await run('ada', RemoveMember, ['Cake', 'cleo'])).stdout).toBe('cleo is not in #Cake any more.\n');
    expect((await run('cleo', Read, ['#Cake'])).code).toBe(6);
    const asked: string[] = [];
    const asks = await run('ada', Delete, ['Cake'], {
      person: (text) => (asked.push(text), text.includes('?') ? 'n\r' : undefined),
    });
    expect([asks.code, asked.at(-1)]).toEqual([2, expect.stringContaining('becomes its owner')]);
    expect((await run('ada', Delete, ['Cake', '--yes'])).stdout).toBe('You left #Cake.\n');
    expect((await run('bob', Show, ['Cake'])).stdout).toContain('Owner\tbob\nMembers\tbob\n');
  });

  it('have settings of each member, and can be deleted from the view of one', async () => {
    const { conversationId } = await sent('ada', 'cleo', 'Hello');
    const change = ['ada', '--mute', '2d', '--pin', '--archive'];
    expect((await run('cleo', Settings, change)).stdout).toMatch(
      /^Muted until\t\d{4}-[^\n]*\nPinned\tyes\nArchived\tyes\n$/,
    );
    expect((await run('cleo', Messages, ['--archived'])).stdout).toMatch(
      /^ada\t3\t0\t[^\t]*\tpinned,muted,archived\tHello\t/,
    );
    // What is in the archive is found by its name and by its id.
    const back = await run('cleo', Settings, [conversationId, '--unmute', '--no-pin', '--no-archive']);
    expect(back.stdout).toBe('Muted until\t-\nPinned\tno\nArchived\tno\n');
    expect((await run('cleo', Settings, ['ada', '--mute', 'permanent', '--json'])).json().mutedUntil).not.toBeNull();
    expect(await run('cleo', Settings, ['ada', '--mute', 'soon'])).toMatchObject({ code: 2, stdout: '' });
    expect(await run('cleo', Delete, ['ada'])).toMatchObject({ code: 2, stdout: '' });
    expect((await run('cleo', Delete, ['ada', '--yes'])).stdout).toBe('Deleted from your view: ada.\n');
    expect((await run('cleo', Messages)).stdout).toBe('');
    expect((await run('ada', Read, ['cleo'])).stdout).toContain('Hello');
    await sent('cleo', 'ada', 'Anew');
    expect((await run('cleo', Read, ['ada', '--json'])).json().messages).toMatchObject([{ content: 'Anew' }]);
  });

  it('are reported to administrators, with the message as it was', async () => {
    const { _id: id } = await sent('bob', 'ada', 'You are a \u202efool');
    expect((await run('ada', Report, [id.slice(0, 30), '--reason', 'Rude'])).stdout).toBe('The message is reported.\n');
    await run('bob', Remove, [id, '--yes']);
    expect((await run('ada', Reports)).code).toBe(5);
    await people.home.run(Login, ['root'], { env: { CONCLAVE_PASSWORD: rootPassword } });
    const listed = await people.home.run(Reports);
    expect(listed.stdout).toMatch(/\tRude\tYou are a \\u\{202e\}fool\n$/);
    const [reportId = ''] = listed.stdout.split('\t');
    expect((await people.home.run(Review, [reportId, '--done'])).stdout).toMatch(/^The report is \w+\.\n$/);
    expect((await people.home.run(Reports)).stderr).toBe('There are no reports.\n');
  });

  it('stand in the list of all conversations, and chat says who reads them', async () => {
    await run('ada', SendChat, ['cleo', 'From chat']);
    await sent('ada', 'cleo', 'From the network');
    const { stdout, stderr } = await run('cleo', ListChat, ['--limit', '2']);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((row) => [row.split('\t')[0], row.split('\t').at(-1)]),
    ).toEqual([
      ['ada', 'social'],
      ['ada', 'direct'],
    ]);
    expect(stderr).toContain('conclave social message read');
    const page = (await run('cleo', ListChat, ['--json', '--limit', '1'])).json();
    expect(page).toMatchObject({ items: [], social: [{ title: 'ada' }], hasMore: true });
    const next = (await run('cleo', ListChat, ['--json', '--limit', '1', '--cursor', page.cursor])).json();
    expect(next).toMatchObject({ items: [{ title: 'ada' }], social: [] });
    expect((await run('bob', ReadChat, ['ada'])).stderr.replaceAll(/\s+/g, ' ')).toContain(
      'conclave social message read ada.',
    );
    await run('ada', Create, ['Only here', 'bob']);
    for (const name of ['only here', '#Only here'])
      expect((await run('bob', SendChat, [name, 'Hi'])).stderr.replaceAll(/\s+/g, ' ')).toContain(
        "social message send '#Only here'",
      );
  });

  it('show nothing that would turn the direction of a text', async () => {
    await sent('ada', 'bob', turned);
    for (const [command, argv] of [
      [Read, ['ada', '--limit', '1']],
      [Messages, ['--limit', '1']],
      [ListChat, ['--limit', '1']],
    ] as const) {
      const { stdout } = await run('bob', command, argv, { person: [] });
      expect(stdout).toContain('\\u{202e}gnp.exe');
      expect(stdout).not.toMatch(harmful);
    }
    const json = await run('bob', Read, ['ada', '--limit', '1', '--json']);
    expect(json.stdout).not.toMatch(harmful);
    expect(json.json().messages).toMatchObject([{ content: turned }]);
    const screen = { paint: (_: string, text: string) => text, measure: (text: string) => text.length, width: 40 };
    const row = { title: turned, lastMessagePreview: turned, id: turned, mutedUntil: null, isSocial: true };
    expect(conversationTable(screen, [row as never], true)).not.toMatch(harmful);
  });

  it('are told when somebody asks to write, each request once', async () => {
    const env = { ...people.home.env, CONCLAVE_TOKEN: people.tokens['bob'] };
    await using client = await briefClient(async () => await openClient({ env, userAgent: 'test', command: 'test' }));
    const requests = await openRequestNews(client);
    const told: string[] = [];
    let looks = 0;
    const watching = watchWithRequests(client, {
      look: async () => {
        looks += 1;
        told.push(...(await requests()).map(requestWords));
        return told.length === 0;
      },
      trouble: () => undefined,
      patience: { deafMs: elapses(20), perReadMs: 0, hearingMs: 600_000 },
    });
    await expect.poll(() => looks).toBeGreaterThan(0);
    await run('dan', Send, ['bob', 'May I?\nRun: rm -r /']);
    await watching;
    expect(told).toEqual([
      'dan wants to write to you:\n  May I? Run: rm -r /\n' +
        'To decide, run: conclave social message accept dan, or: conclave social message decline dan',
    ]);
    expect(await requests()).toEqual([]);
    await run('bob', Accept, ['dan']);
    expect(await requests()).toEqual([]);
  });

  it('are told as they come, each message once', async () => {
    const env = { ...people.home.env, CONCLAVE_TOKEN: people.tokens['bob'] };
    await using client = await briefClient(async () => await openClient({ env, userAgent: 'test', command: 'test' }));
    const place = await socialConversationNamed(client, 'ada');
    const one = newsIn(socialPagesOf(client, place), place);
    const all = await openNews(client, { conversations: socialConversations, pages: socialPagesOf });
    const told: string[] = [];
    let looks = 0;
    const watching = watchMessages(client, place.id, {
      look: async () => {
        looks += 1;
        told.push(...(await one()).map(messageLine));
        return told.length < 2;
      },
      trouble: () => undefined,
      patience: { deafMs: elapses(20), perReadMs: 0, hearingMs: 600_000 },
    });
    await expect.poll(() => looks).toBeGreaterThan(0);
    for (const text of ['One', 'Two']) await sent('ada', 'bob', text);
    await watching;
    expect(told).toEqual([expect.stringMatching(/^[0-9a-f]{32}\tada\tada\tOne$/), expect.stringMatching(/\tTwo$/)]);
    await run('bob', SendChat, ['ada', 'Elsewhere']);
    expect((await all()).map(({ message }) => message.content)).toEqual(['One', 'Two']);
    expect(await all()).toEqual([]);
  });
});
