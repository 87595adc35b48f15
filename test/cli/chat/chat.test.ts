import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import AttachmentGet from '../../../commands/chat/attachment/get.ts';
import AttachmentShow from '../../../commands/chat/attachment/show.ts';
import Edit from '../../../commands/chat/edit.ts';
import List from '../../../commands/chat/list.ts';
import Pin from '../../../commands/chat/pin.ts';
import Pins from '../../../commands/chat/pins.ts';
import React from '../../../commands/chat/react.ts';
import Read from '../../../commands/chat/read.ts';
import Remove from '../../../commands/chat/remove.ts';
import Send from '../../../commands/chat/send.ts';
import Settings from '../../../commands/chat/settings.ts';
import Unpin from '../../../commands/chat/unpin.ts';
import Unreact from '../../../commands/chat/unreact.ts';
import Block from '../../../commands/social/block.ts';
import { briefClient } from '../../../src/client/brief-client.ts';
import { openClient } from '../../../src/client/client.ts';
import { messageLine, newMessagesIn, openNewMessages, watchMessages } from '../../../src/cli/chat/new-messages.ts';
import { conversationTable } from '../../../src/cli/chat/conversation-table.ts';
import { messagesText } from '../../../src/cli/chat/message-view.ts';
import { sendMessage } from '../../../src/cli/chat/send-message.ts';
import type { Caller } from '../../../src/client/perform.ts';
import { Problem } from '../../../src/base/problem.ts';
import type { Conversation } from '../../../src/contract/chat/conversation.ts';
import type { ChatMessage } from '../../../src/contract/chat/message.ts';
import { elapses } from '../../support/real-time.ts';
import { ways } from '../home.ts';
import { encoded, pixelsOf } from '../../services/filevault/pictures.ts';
import { openMailPeople, type MailPeople } from '../mail/mail-people.ts';

const hostile = 'Look\u001b[2J\r\n\u202egnp.exe\u0007';
/** What a node stores. */
const turned = 'Look\n\u202egnp.exe\u2066';
// oxlint-disable-next-line no-control-regex -- what must not reach a terminal
const harmful = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe.each(ways)('conversations from a terminal, by the way %s', (way) => {
  let people: MailPeople;
  beforeAll(async () => void (people = await openMailPeople(way, ['ada', 'bob', 'cleo', 'dan'])));
  afterAll(async () => await people[Symbol.asyncDispose]());
  const run: MailPeople['run'] = async (...how) => await people.run(...how);
  const sent = async (from: string, to: string, text: string): Promise<ChatMessage> =>
    (await run(from, Send, [to, text, '--json'])).json();
  const connected = async (name: string) => {
    const env = { ...people.home.env, CONCLAVE_TOKEN: people.tokens[name] };
    return await briefClient(async () => await openClient({ env, userAgent: 'test', command: 'test' }));
  };

  it('are begun, listed, read and answered', async () => {
    expect(await run('ada', List)).toMatchObject({ code: 0, stdout: '', stderr: 'There are no conversations here.\n' });
    const first = await run('ada', Send, ['bob'], { stdin: 'Tea at four?\nI bring cake.\n' });
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const [id = '', , from, ...rest] = first.stdout.trimEnd().split('\t');
    expect([from, ...rest]).toEqual(['ada', '', '', '', '', 'Tea at four? I bring cake.']);
    const listed = await run('bob', List);
    expect(listed.stdout.split('\t').slice(0, 2)).toEqual(['ada', '1']);
    const { items } = (await run('bob', List, ['--json'])).json();
    expect(items).toMatchObject([{ title: 'ada', unread: 1, lastMessagePreview: expect.any(String) }]);
    expect((await run('bob', Read, ['ada', '--keep-unread'])).stdout).toBe(first.stdout);
    const file = await people.home.file('answer.txt', 'I come.\n');
    const answer = (await run('bob', Send, ['ada', '--file', file, '--reply', id.slice(0, 20), '--json'])).json();
    expect(answer).toMatchObject({ content: 'I come.', replyToMessageId: id, seq: 2 });
    expect((await run('ada', List, ['--json'])).json().items).toMatchObject([{ unread: 1 }]);
    const shown = await run('ada', Read, ['bob'], { person: [] });
    expect(shown.stdout).toMatch(/^ada {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}[0-9a-f]{12,}\n {2}Tea at four\?\n {2}I bring/);
    expect(shown.stdout).toMatch(/\nbob {2}[^\n]*\n {2}> ada: Tea at four\? I bring cake\.\n {2}I come\.\n$/);
    expect((await run('ada', List, ['--json'])).json().items).toMatchObject([{ unread: 0 }]);
    // By the id of the conversation and of the member too.
    const page = (await run('ada', Read, [answer.conversationId, '--json'])).json();
    expect(page).toMatchObject({ items: [{ id }, { id: answer.id }], hasMore: false });
    expect(page).not.toHaveProperty('cursor');
    expect((await run('ada', Send, [answer.senderId, 'Good.'])).code).toBe(0);
  });

  it('have messages that are changed, marked and deleted', async () => {
    const { id } = await sent('ada', 'bob', 'Four?');
    expect((await run('ada', Edit, ['bob', id, 'Five?'])).stdout).toMatch(/\tada\tedited\t\t\t\tFive\?\n$/);
    expect((await run('bob', React, ['ada', id, '\u2764'])).stdout).toBe('You reacted with \u2764\ufe0f.\n');
    expect((await run('bob', Pin, ['ada', id.slice(0, 30)])).stdout).toBe('The message is pinned.\n');
    const pins = await run('ada', Pins, ['bob']);
    expect(pins.stdout).toMatch(/\tedited,pinned\t\t\u2764\ufe0f 1\t\tFive\?\n$/);
    expect((await run('bob', Unpin, ['ada', id])).stdout).toBe('The message is not pinned.\n');
    expect((await run('ada', Pins, ['bob'])).stderr).toBe('No message is pinned.\n');
    expect(await run('ada', Unreact, ['bob', id, '\u2764'])).toMatchObject({ code: 6, stdout: '' });
    expect((await run('bob', Unreact, ['ada', id, '\u2764'])).stdout).toBe('You took \u2764\ufe0f back.\n');
    expect((await run('bob', Remove, ['ada', id, '--yes'])).code).toBe(5);
    expect(await run('ada', Remove, ['bob', id])).toMatchObject({ code: 2, stdout: '' });
    expect((await run('ada', Remove, ['bob', id, '--yes'])).stdout).toBe(`Deleted ${id}.\n`);
    expect((await run('bob', Read, ['ada', '--limit', '1'])).stdout).toMatch(/\tada\tdeleted\t\t\t\t\(deleted\)\n$/);
  });

  it('are read page by page, and from the first unread message', async () => {
    const all: string[] = [];
    for (const number of [1, 2, 3, 4, 5]) all.push((await sent('ada', 'cleo', `Number ${number}`)).id);
    const ids = ({ items }: { items: ChatMessage[] }) => items.map(({ id }) => id);
    const unread = (await run('cleo', Read, ['ada', '--unread', '--limit', '2', '--json'])).json();
    expect([ids(unread), unread.hasMore]).toEqual([all.slice(0, 2), true]);
    expect((await run('cleo', List, ['--json'])).json().items).toMatchObject([{ unread: 3 }]);
    const newest = (await run('cleo', Read, ['ada', '--limit', '2', '--keep-unread', '--json'])).json();
    expect([ids(newest), newest.hasMore]).toEqual([all.slice(3), true]);
    const older = ['ada', '--cursor', newest.cursor, '--json'];
    expect(ids((await run('cleo', Read, older)).json())).toEqual(all.slice(0, 3));
    const about = await run('cleo', Read, ['ada', '--around', all[1]!, '--limit', '3', '--json', '--keep-unread']);
    expect(ids(about.json())).toEqual(all.slice(0, 3));
    expect(ids((await run('cleo', Read, ['ada', '--unread', '--json'])).json())).toEqual(all.slice(3));
    const none = await run('cleo', Read, ['ada', '--unread']);
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'There are no messages to show.\n' });
    await sent('bob', 'cleo', 'And me.');
    const first = (await run('cleo', List, ['--limit', '1', '--json'])).json();
    expect(first).toMatchObject({ items: [{ title: 'bob' }], hasMore: true });
    const second = (await run('cleo', List, ['--cursor', first.cursor, '--json'])).json();
    expect(second).toMatchObject({ items: [{ title: 'ada' }], hasMore: false });
  });

  it('have settings of each member', async () => {
    const { conversationId } = await sent('ada', 'dan', 'Hello');
    const initial = (await run('dan', Settings, ['ada', '--json'])).json();
    expect(initial).toEqual({ notifications: 'all', mutedUntil: null, pinned: false, archived: false });
    const change = ['ada', '--notify', 'none', '--mute', '2d', '--pin', '--archive'];
    expect((await run('dan', Settings, change)).stdout).toMatch(/^Notifications\tnone\nMuted until\t\d{4}-/);
    expect((await run('dan', List)).stdout).toBe('');
    expect((await run('dan', List, ['--archived'])).stdout).toMatch(
      /^ada\t1\t0\t[^\t]*\tpinned,muted,archived\tHello\t/,
    );
    // What is in the archive is found by its name and by its id.
    const back = await run('dan', Settings, [conversationId, '--unmute', '--no-pin', '--no-archive', '--json']);
    expect(back.json()).toEqual({ ...initial, notifications: 'none' });
    expect((await run('ada', Settings, ['dan', '--json'])).json()).toEqual(initial);
    for (const mute of ['never', 'soon', '2001-01-01'])
      expect(await run('dan', Settings, ['ada', '--mute', mute])).toMatchObject({ code: 2, stdout: '' });
  });

  it('say what is wrong', async () => {
    const { id } = await sent('ada', 'bob', 'Hi');
    const [elsewhere, conversation] = [await sent('ada', 'cleo', 'Hi'), await sent('bob', 'cleo', 'Hi')];
    const unknown = await run('ada', Send, ['zoe', 'Hi']);
    expect(unknown).toMatchObject({ code: 6, stdout: '' });
    expect(unknown.stderr.replaceAll(/\s+/g, ' ')).toContain('members of other nodes, write with: conclave mail send');
    for (const text of ['bob@other.example', 'f'.repeat(24)])
      expect((await run('ada', Send, [text, 'Hi'])).stderr).toContain('conclave mail send');
    const self = await run('ada', Read, ['ada']);
    expect(self).toMatchObject({ code: 2, stderr: expect.stringContaining('no conversation with yourself') });
    expect((await run('ada', Send, ['ada', 'Hi'])).stderr).toContain('must not be yourself');
    expect((await run('bob', Read, ['dan'])).stderr).toContain('conclave chat send dan');
    expect(await run('ada', Read, [conversation.conversationId])).toMatchObject({ code: 6, stdout: '' });
    expect((await run('ada', Pin, ['bob', elsewhere.id])).code).toBe(6);
    expect((await run('ada', Pin, ['bob', 'zzz'])).code).toBe(6);
    expect((await run('ada', React, ['bob', id, 'tea'])).stderr).toContain('must be one emoji');
    // A text that is missing is asked of nobody, and an empty one is none.
    expect(await run('ada', Send, ['bob'], { person: [] })).toMatchObject({ code: 2, stdout: '' });
    expect((await run('ada', Send, ['bob'], { stdin: '\n' })).stderr).toContain('must have visible characters');
    expect((await run('ada', Send, ['bob', 'Hi', '--file', 'x'])).code).toBe(2);
    expect((await run('ada', Send, ['bob', '--file', 'missing.txt'])).stderr).toContain('missing.txt');
  });

  it('show nothing that would turn the direction of a text', async () => {
    const { id } = await sent('ada', 'bob', turned);
    await run('bob', Pin, ['ada', id]);
    for (const [command, argv] of [
      [Read, ['ada', '--limit', '1']],
      [List, ['--limit', '1']],
      [Pins, ['ada']],
    ] as const) {
      const { stdout } = await run('bob', command, argv, command === Pins ? {} : { person: [] });
      expect(stdout).toContain('\\u{202e}gnp.exe');
      expect(stdout).not.toMatch(harmful);
    }
    const json = await run('bob', Read, ['ada', '--limit', '1', '--json']);
    expect(json.stdout).not.toMatch(harmful);
    expect(json.json().items).toMatchObject([{ content: turned }]);
  });

  it('have files, which are saved under their names and never over another', async () => {
    const [plan, map] = [await people.home.file('plan.txt', 'Dig here'), await people.home.file('-m\u00fc.png', 'PNG')];
    const argv = ['bob', 'The plan', '--attach', plan, '--attach', map, '--json'];
    const { attachments, id } = (await run('ada', Send, argv)).json() as ChatMessage;
    expect(attachments).toMatchObject([
      { filename: 'plan.txt', mimeType: 'text/plain', size: 8 },
      { filename: '-m\u00fc.png', mimeType: 'image/png', size: 3 },
    ]);
    const [first = { id: '' }, second = { id: '' }] = attachments;
    const shown = await run('bob', Read, ['ada', '--limit', '1'], { person: [] });
    expect(shown.stdout).toContain(
      `  The plan\n  + plan.txt  8 bytes  ${first.id}\n  + -m\u00fc.png  3 bytes  ${second.id}\n`,
    );
    const row = (await run('bob', Read, ['ada', '--limit', '1'])).stdout.trimEnd().split('\t');
    expect([row[0], ...row.slice(6)]).toEqual([
      id,
      `plan.txt  8 bytes  ${first.id}, -m\u00fc.png  3 bytes  ${second.id}`,
      'The plan',
    ]);
    expect((await run('bob', AttachmentGet, [first.id, '--output', '-'])).stdout).toBe('Dig here');
    const dir = join(people.home.folder, 'saved');
    await mkdir(dir);
    const saved = await run('bob', AttachmentGet, [second.id, '--dir', dir]);
    expect(saved.stdout).toBe(`Wrote ${join(dir, 'm\u00fc.png')}.\n`);
    expect((await run('bob', AttachmentGet, [second.id, '--dir', dir])).code).toBe(7);
    const output = join(dir, 'own.txt');
    expect((await run('bob', AttachmentGet, [first.id, '--output', output, '--json'])).json()).toEqual({ output });
    expect([await readFile(output, 'utf8'), (await readdir(dir)).toSorted()]).toEqual([
      'Dig here',
      ['m\u00fc.png', 'own.txt'],
    ]);
    expect((await run('cleo', AttachmentGet, [first.id, '--output', '-'])).code).toBe(6);
    const many = Array.from({ length: 11 }, () => ['--attach', plan]).flat();
    expect((await run('ada', Send, ['bob', 'x', ...many])).stderr).toContain('at most 10 attachments');
    expect((await run('ada', Send, ['bob', 'x', '--attach', `${plan}.gone`])).code).toBe(2);
  });

  it('have files that are shown: a text, a picture on a terminal, and what there is to say of the rest', async () => {
    const text = await people.home.file('plan.md', 'Dig \u001b[2Jhere.\n');
    const [picture, other] = [join(people.home.folder, 'map.txt'), await people.home.file('data.bin', 'a\0b')];
    await writeFile(picture, encoded(pixelsOf(6, 4, () => [200, 0, 0, 255])).webp);
    const argv = ['bob', 'Look', '--attach', other, '--attach', picture, '--attach', text, '--json'];
    const { attachments } = (await run('ada', Send, argv)).json() as ChatMessage;
    const [bin = '', map = '', plan = ''] = attachments.map(({ id }) => id);
    const read = await run('bob', Read, ['ada', '--limit', '1'], { person: [] });
    expect(read.stderr).toContain(`To see plan.md: conclave chat attachment show ${plan}\n`);
    expect((await run('bob', Read, ['ada', '--limit', '1'])).stderr).not.toContain('To see');
    const shown = { code: 0, stderr: '' };
    expect(await run('bob', AttachmentShow, [plan])).toMatchObject({ ...shown, stdout: 'Dig \\x1b[2Jhere.\n' });
    const colours = { person: [], env: { NO_COLOR: '', COLORTERM: 'truecolor' } };
    const line = `\u001b[48;2;200;0;0m${' '.repeat(6)}\u001b[0m\n`;
    const drawn = await run('bob', AttachmentShow, [map], colours);
    expect(drawn).toMatchObject(shown);
    expect(drawn.stdout.startsWith(`${line}${line}\u001b[2mmap.txt  image/webp  6 x 4 pixels  `)).toBe(true);
    // Without a terminal there are its facts.
    const facts = { name: 'map.txt', type: 'image/webp', sentAs: 'text/plain', kind: 'picture', width: 6, height: 4 };
    expect((await run('bob', AttachmentShow, [map])).stdout).toContain('Pixels\t6 x 4\n');
    expect((await run('bob', AttachmentShow, [map, '--json'], colours)).json()).toMatchObject({ id: map, ...facts });
    expect(await run('bob', AttachmentShow, [bin])).toMatchObject({
      code: 0,
      stdout: 'Name\tdata.bin\nType\tapplication/octet-stream\nSize\t3 bytes\n',
      stderr: `data.bin is no text and no picture that can be shown here. Save it with: conclave chat attachment get ${bin}\n`,
    });
    expect(await run('cleo', AttachmentShow, [plan])).toMatchObject({ code: 6, stdout: '' });
  });

  it('stay readable when a block parts the two', async () => {
    await sent('dan', 'bob', 'Before');
    await run('bob', Block, ['dan']);
    expect((await run('dan', Send, ['bob', 'After'])).stderr).toContain('There is no member "bob"');
    // The conversation keeps the name of somebody who has no profile for the reader.
    const row = (await run('dan', Read, ['bob', '--json'])).json();
    expect(row).toMatchObject({ title: 'bob', items: [{ content: 'Before', senderName: 'dan' }] });
    expect((await run('dan', Send, [row.conversationId, 'After'])).stderr).toContain('There is no member');
  });

  it('are told as they come, each message once', async () => {
    await sent('ada', 'bob', 'Earlier');
    await using client = await connected('bob');
    const [place] = (await run('bob', List, ['--json'])).json().items;
    const [all, one] = [await openNewMessages(client), newMessagesIn(client, place)];
    const told: string[] = [];
    let looks = 0;
    const watching = watchMessages(client, place.id, {
      look: async () => {
        looks += 1;
        told.push(...(await one()).map(({ message }) => message.content ?? ''));
        return told.length < 3;
      },
      trouble: () => undefined,
      patience: { deafMs: elapses(20), perReadMs: 0, hearingMs: 600_000 },
    });
    await expect.poll(() => looks).toBeGreaterThan(0);
    const argv = ['bob', 'One', '--client-id', 'once'];
    for (const text of [argv, argv, ['bob', 'Two'], ['bob', 'Three']]) await run('ada', Send, text);
    await watching;
    expect(told).toEqual(['One', 'Two', 'Three']);
    await sent('cleo', 'bob', 'Four');
    expect((await all()).map(({ message }) => message.content)).toEqual(['One', 'Two', 'Three', 'Four']);
    expect(await all()).toEqual([]);
  });
});

describe('what a hostile node says', () => {
  const screen = { paint: (_: string, text: string) => text, measure: (text: string) => text.length };
  const message = {
    id: '0'.repeat(32),
    senderId: '1'.repeat(24),
    senderName: hostile,
    content: hostile,
    createdAt: hostile,
    editedAt: null,
    replyToMessageId: hostile,
    reactionCounts: [{ emoji: hostile, count: 1 }],
    attachments: [{ id: hostile, filename: hostile, size: 1 }],
  } as unknown as ChatMessage;
  const row = {
    title: hostile,
    lastMessagePreview: hostile,
    lastMessageAt: hostile,
    id: hostile,
    mutedUntil: null,
  } as unknown as Conversation;

  it('is harmless on a terminal of any width, and in lines', () => {
    for (const width of [80, Number.POSITIVE_INFINITY]) {
      const texts = [messagesText({ ...screen, width }, [message]), conversationTable({ ...screen, width }, [row])];
      for (const text of texts) {
        expect(text).toContain('\\x1b[2J');
        expect(text).not.toMatch(harmful);
      }
    }
    expect(messageLine({ message, conversation: hostile })).not.toMatch(harmful);
    expect(messageLine({ message, conversation: hostile }).split('\n')).toHaveLength(1);
  });
});

describe('a message whose answer was lost', () => {
  it('is sent again under the same id, once', async () => {
    const ids: unknown[] = [];
    const caller = {
      place: 'test',
      userAgent: 'test',
      tokenFor: async () => undefined,
      transport: {
        send: async ({ body }: { readonly body?: Uint8Array }) => {
          ids.push(JSON.parse(Buffer.from(body ?? []).toString('utf8')).clientId);
          throw new Problem('network', 'BAD_REPLY', 'The connection broke.');
        },
      },
    } as unknown as Caller;
    const message = { recipientId: '1'.repeat(24), content: 'Hi' };
    await expect(sendMessage(caller, message, 'bob')).rejects.toMatchObject({ kind: 'network' });
    expect(ids).toEqual([expect.stringMatching(/^[\w-]{36}$/), ids[0]]);
  });
});
