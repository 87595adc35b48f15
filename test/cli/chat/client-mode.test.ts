import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Settings from '../../../commands/account/settings.ts';
import Admit from '../../../commands/chat/admit.ts';
import AttachmentGet from '../../../commands/chat/attachment/get.ts';
import AttachmentShow from '../../../commands/chat/attachment/show.ts';
import CreateChannel from '../../../commands/chat/channel/create.ts';
import Invite from '../../../commands/chat/channel/invite.ts';
import Join from '../../../commands/chat/channel/join.ts';
import ChannelMembers from '../../../commands/chat/channel/members.ts';
import Edit from '../../../commands/chat/edit.ts';
import Add from '../../../commands/chat/group/add.ts';
import Create from '../../../commands/chat/group/create.ts';
import Kick from '../../../commands/chat/group/kick.ts';
import Leave from '../../../commands/chat/group/leave.ts';
import Remove from '../../../commands/chat/group/remove.ts';
import Show from '../../../commands/chat/group/show.ts';
import List from '../../../commands/chat/list.ts';
import Pin from '../../../commands/chat/pin.ts';
import Pins from '../../../commands/chat/pins.ts';
import Promote from '../../../commands/chat/promote.ts';
import Read from '../../../commands/chat/read.ts';
import Search from '../../../commands/chat/search.ts';
import Send from '../../../commands/chat/send.ts';
import Verify from '../../../commands/chat/verify.ts';
import Key from '../../../commands/files/key.ts';
import Login from '../../../commands/login.ts';
import Whoami from '../../../commands/whoami.ts';
import { conversationNamed } from '../../../src/cli/chat/find-conversation.ts';
import { messageLine, newMessagesIn, openNewMessages } from '../../../src/cli/chat/new-messages.ts';
import { removingWithKey } from '../../../src/cli/chat/sealed/changing.ts';
import { sealedWatching } from '../../../src/cli/chat/sealed/watching.ts';
import { remember } from '../../../src/client/chat/known-conversations.ts';
import { openClient } from '../../../src/client/client.ts';
import { chatLimits } from '../../../src/contract/chat/limits.ts';
import type { OpenedMessage } from '../../../src/client/chat/open-messages.ts';
import { foundIn, storedBytes } from '../../support/needles.ts';
import { openPeopleWithKeys, type PeopleWithKeys } from './people-with-keys.ts';
import { sideWithKey } from './side-with-key.ts';

const password = 'the long secret of all';
const names = ['ada', 'bob', 'cleo', 'dan'] as const;
type Name = (typeof names)[number];

let people: PeopleWithKeys<Name>;
const as: PeopleWithKeys<Name>['as'] = async (...ran) => await people.as(...ran);
const on: PeopleWithKeys<Name>['on'] = async (...ran) => await people.on(...ran);

async function texts(name: Name, place: string): Promise<(string | null)[]> {
  const { items } = (await as(name, Read, [place, '--json'])).json() as { items: OpenedMessage[] };
  return items.map(({ content, problem }) => content ?? problem?.code ?? null);
}

async function numberOf(name: Name, place: string): Promise<string> {
  return (await as(name, Verify, [place, '--json'])).json().safetyNumber;
}

async function memberIdOf(name: Name): Promise<string> {
  return (await as(name, Whoami, ['--json'])).json().id;
}

const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');

beforeAll(async () => {
  people = await openPeopleWithKeys(names, password);
});
afterAll(async () => await people[Symbol.asyncDispose]());

describe('a group that only its members can read', () => {
  it('has messages, edits and pins as any other one', async () => {
    const created = await as('ada', Create, ['Board', 'bob', 'cleo', '--mode', 'client']);
    expect(created).toMatchObject({ code: 0 });
    expect(created.stdout).toMatch(/^Created #Board with 3 members: [0-9a-f]{32}\n$/);
    // Everybody signed in with the password, which is said once in a session.
    expect(flat(created.stderr)).toContain('You signed in with your password, so the server has seen it');
    const sent = (await as('ada', Send, ['Board', 'The treaty of the @bob', '--json'])).json();
    expect(sent).toMatchObject({ content: 'The treaty of the @bob', epoch: 1, revision: 0 });
    const answer = await as('bob', Send, ['Board', 'Signed at midnight', '--reply', sent.id, '--json']);
    expect(answer.json()).toMatchObject({ replyToMessageId: sent.id });
    expect((await as('bob', List, ['--json'])).json().items).toMatchObject([
      { mode: 'client', lastMessagePreview: null, mentionCount: 0 },
    ]);
    expect((await as('cleo', List)).stdout).toMatch(/^#Board\t2\t0\t[^\t]*\t\t\(encrypted by its members\)\t/);
    expect(await texts('cleo', 'Board')).toEqual(['The treaty of the @bob', 'Signed at midnight']);
    expect((await as('ada', Edit, ['Board', sent.id, 'The treaty of the seven towns'])).stdout).toContain('edited');
    const shown = (await as('bob', Read, ['Board', '--json'])).json().items[0];
    expect(shown).toMatchObject({
      content: 'The treaty of the seven towns',
      revision: 1,
      editHistory: [{ content: 'The treaty of the @bob', revision: 0 }],
    });
    expect((await as('ada', Edit, ['Board', answer.json().id, 'Mine'])).code).toBe(5);
    expect((await as('ada', Pin, ['Board', sent.id])).code).toBe(0);
    expect((await as('cleo', Pins, ['Board'])).stdout).toContain('The treaty of the seven towns');
    expect((await as('cleo', Show, ['Board'])).stdout).toContain('Who can read it\tits members alone');
    const again = await as('ada', Send, ['Board', 'Once', '--client-id', 'a-name', '--json']);
    const twice = await as('ada', Send, ['Board', 'Twice', '--client-id', 'a-name', '--json']);
    expect(twice.json()).toMatchObject({ id: again.json().id, content: 'Once' });
    expect(twice.stderr).not.toContain('password');
  });

  it('has files, whose names and contents only members see', async () => {
    const path = await people.home.file('plan of the north gate.txt', 'Open it from inside.');
    const sent = (await as('ada', Send, ['Board', 'The plan', '--attach', path, '--json'])).json();
    const file = { filename: 'plan of the north gate.txt', mimeType: 'text/plain', size: 20 };
    expect(sent.attachments).toMatchObject([file]);
    const edited = (await as('ada', Edit, ['Board', sent.id, 'The best plan', '--json'])).json();
    expect(edited).toMatchObject({ content: 'The best plan', attachments: [file] });
    const { id } = sent.attachments[0];
    const dir = join(people.home.folder, 'saved');
    await mkdir(dir);
    // Bob has not read the message on this machine.
    expect((await as('bob', AttachmentGet, [id, '--dir', dir])).code).toBe(0);
    expect(await readFile(join(dir, file.filename), 'utf8')).toBe('Open it from inside.');
    await as('cleo', Read, ['Board']);
    expect((await as('cleo', AttachmentGet, [id, '--output', '-'])).stdout).toBe('Open it from inside.');
    expect((await as('dan', AttachmentGet, [id, '--output', '-'])).code).toBe(6);
    const shown = { id, name: file.filename, size: 20, type: 'text/plain', text: 'Open it from inside.' };
    expect((await as('bob', AttachmentShow, [id, '--json'])).json()).toMatchObject(shown);
    expect((await as('dan', AttachmentShow, [id])).code).toBe(6);
    const secrets = ['north gate', 'from inside', 'best plan', 'seven towns', 'midnight'];
    const needles = new Map([...secrets, 'Board'].map((text) => [text, Buffer.from(text)]));
    const found = [...(await storedBytes(people.home.dataDir)).values()].flatMap((bytes) => foundIn(bytes, needles));
    // The name of the group is no secret, and shows that they would be found.
    expect(new Set(found)).toEqual(new Set(['Board']));
  });

  it('has files as large as elsewhere, and no larger ones', { tags: 'thorough' }, async () => {
    const bytes = randomBytes(chatLimits.attachmentBytes + 1);
    const [most, more] = [join(people.home.folder, 'most.bin'), join(people.home.folder, 'more.bin')];
    await writeFile(most, bytes.subarray(1));
    await writeFile(more, bytes);
    const refused = await as('ada', Send, ['Board', 'Too large', '--attach', more]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(flat(refused.stderr)).toContain('at most 25 MiB together');
    const sent = (await as('ada', Send, ['Board', 'All of it', '--attach', most, '--json'])).json();
    expect(sent.attachments).toMatchObject([{ size: chatLimits.attachmentBytes }]);
    const dir = join(people.home.folder, 'saved');
    expect((await as('bob', AttachmentGet, [sent.attachments[0].id, '--dir', dir])).code).toBe(0);
    expect((await readFile(join(dir, 'most.bin'))).equals(bytes.subarray(1))).toBe(true);
  });

  it('is the same for all of them, and has another number when somebody comes or goes', async () => {
    const first = await numberOf('ada', 'Board');
    expect(first).toMatch(/^\d{5}(?: \d{5}){11}$/);
    expect(await numberOf('bob', 'Board')).toBe(first);
    expect((await as('ada', Add, ['Board', 'dan'])).stdout).toBe('Added 1 member to #Board.\n');
    const second = await numberOf('cleo', 'Board');
    expect(second).not.toBe(first);
    expect(await numberOf('dan', 'Board')).toBe(second);
    await as('bob', Send, ['Board', 'Welcome, Dan']);
    // Who is added sees what is said from then on.
    expect(await texts('dan', 'Board')).toEqual(['Welcome, Dan']);
    expect(flat((await as('dan', Read, ['Board'])).stderr)).toContain('You can read what was said since');
    const text = await as('dan', Verify, ['Board']);
    expect(text.stdout).toMatch(/\nFits\tyes\nSafety number\t\d{5}/);
    expect(text.stdout).toMatch(/\ndan\thas it \(you\)\t[0-9a-f]{24}\n/);
  });

  it('goes on without who was removed, and without the one who left', { tags: 'thorough' }, async () => {
    const second = await numberOf('dan', 'Board');
    const before = await numberOf('ada', 'Board');
    expect((await as('ada', Kick, ['Board', 'dan'])).code).toBe(0);
    expect(await numberOf('bob', 'Board')).not.toBe(before);
    expect((await as('bob', Send, ['Board', 'He is gone', '--json'])).json()).toMatchObject({ epoch: 3 });
    expect((await as('dan', Read, ['Board'])).code).toBe(6);
    // Without the key at hand, somebody can be removed too: the next message makes the key.
    const added = await as('ada', Add, ['Board', 'dan']);
    expect(added.code).toBe(0);
    // His machine has missed a key, or the node hides one: he decides.
    await as('bob', Send, ['Board', 'Welcome back']);
    const away = await as('dan', Read, ['Board']);
    expect(away).toMatchObject({ code: 8, stdout: '' });
    expect(flat(away.stderr)).toContain('from key 2 to key 4');
    const doubted = await as('dan', Verify, ['Board', '--json']);
    expect(doubted).toMatchObject({ code: 8 });
    expect(doubted.json()).toMatchObject({ fits: false, safetyNumber: second, problems: [{ code: 'EPOCH_GAP' }] });
    // He compares the number of what is there now before he accepts it, and nothing is believed until then.
    const third = await numberOf('ada', 'Board');
    expect(doubted.json().shown).toMatchObject({ safetyNumber: third, epoch: 4, added: [], gone: [] });
    const text = await as('dan', Verify, ['Board']);
    expect(text).toMatchObject({ code: 8 });
    expect(text.stdout).toMatch(
      /\nFits\tno\nSafety number\t[^\n]*\n\t[^\n]*\nKey\t2\nNumber now\t\d{5} [^\n]*\n\t[^\n]*\nKey now\t4\n/,
    );
    expect((await as('dan', Verify, ['Board', '--accept', '--json'])).json().safetyNumber).toBe(third);
    expect(await texts('dan', 'Board')).toEqual(['Welcome back']);
    expect((await as('ada', Remove, ['Board', 'dan'], { env: { CONCLAVE_KEY: undefined } })).code).toBe(0);
    expect((await as('cleo', Verify, ['Board', '--json'])).json()).toMatchObject({ epoch: 4, closed: true });
    expect((await as('bob', Send, ['Board', 'Now', '--json'])).json()).toMatchObject({ epoch: 5 });
    expect((await as('cleo', Leave, ['Board'])).code).toBe(0);
    // Both make the next key, and one of them succeeds.
    const both = await Promise.all([
      as('ada', Send, ['Board', 'Two of us', '--json']),
      as('bob', Send, ['Board', 'Two of us', '--json']),
    ]);
    expect(both.map((one) => one.json())).toMatchObject([{ epoch: 6 }, { epoch: 6 }]);
    expect((await texts('bob', 'Board')).slice(-3)).toEqual(['Now', 'Two of us', 'Two of us']);
    // Who left by themselves comes back without a question.
    expect((await as('ada', Add, ['Board', 'cleo'])).code).toBe(0);
    await as('bob', Send, ['Board', 'Cleo is back']);
    expect(await texts('cleo', 'Board')).toEqual(['Cleo is back']);
    expect((await as('cleo', Leave, ['Board'])).code).toBe(0);
    await as('bob', Send, ['Board', 'Cleo is gone']);
    expect((await as('bob', Verify, ['Board', '--json'])).json()).toMatchObject({
      fits: true,
      members: [{}, {}],
      waiting: [],
    });
  });
});

describe('a channel that only its members can read', () => {
  it('lets those wait who join, until a member gives them the key', async () => {
    const made = await as('ada', CreateChannel, ['vault', '--visibility', 'private', '--mode', 'client']);
    expect(made.stdout).toContain('Created the private channel #vault');
    await as('ada', Send, ['vault', 'Before']);
    const invitation = (await as('ada', Invite, ['vault'])).stdout;
    const joined = await as('bob', Join, ['--invite'], { stdin: invitation });
    expect(joined.code).toBe(0);
    expect(flat(joined.stderr)).toContain('You wait for the key');
    expect(await as('bob', Send, ['vault', 'Hello?'])).toMatchObject({ code: 7, stdout: '' });
    const noted = await as('ada', Send, ['vault', 'Meanwhile']);
    expect(noted.code).toBe(0);
    expect(flat(noted.stderr)).toContain('bob waits for the key');
    expect(flat(noted.stderr)).toContain('conclave chat admit vault bob');
    expect((await as('ada', ChannelMembers, ['vault'])).stdout).toMatch(/^ada\t.*\thas it\nbob\t.*\twaits\n$/);
    expect(await texts('bob', 'vault')).toEqual(['MESSAGE_UNREADABLE']);
    expect(flat((await as('bob', Read, ['vault'])).stderr)).toContain('You wait for the key of #vault');
    expect((await as('bob', Verify, ['vault', '--json'])).json()).toMatchObject({ safetyNumber: null, fits: true });
    expect((await as('ada', Admit, ['vault', 'cleo'])).code).toBe(6);
    expect((await as('ada', Admit, ['vault', 'bob'])).stdout).toBe('Gave the key of #vault to 1 member.\n');
    expect((await as('ada', Admit, ['vault', 'bob'])).code).toBe(7);
    await as('ada', Send, ['vault', 'After']);
    expect(await texts('bob', 'vault')).toEqual(['MESSAGE_UNREADABLE', 'After']);
    expect((await as('bob', Send, ['vault', 'Thanks', '--json'])).json()).toMatchObject({ content: 'Thanks' });
    expect(await numberOf('bob', 'vault')).toBe(await numberOf('ada', 'vault'));
  });
});

describe('a conversation of two that only they can read', () => {
  it('begins with its first message, and its mode never changes', async () => {
    const first = (await as('ada', Send, ['bob', 'For you alone', '--mode', 'client', '--json'])).json();
    expect(first).toMatchObject({ content: 'For you alone', epoch: 1 });
    expect((await as('bob', Send, ['ada', 'And for you', '--json'])).json()).toMatchObject({ content: 'And for you' });
    expect(await texts('ada', 'bob')).toEqual(['For you alone', 'And for you']);
    expect(await numberOf('ada', 'bob')).toBe(await numberOf('bob', 'ada'));
    const fixed = await as('ada', Send, ['bob', 'Plain', '--mode', 'server']);
    expect(fixed).toMatchObject({ code: 7, stdout: '' });
    expect(flat(fixed.stderr)).toContain('a mode never changes');
    expect(flat(fixed.stderr)).toContain('conclave chat group create NAME bob --mode server');
    await as('ada', Send, ['dan', 'Anybody may know']);
    expect((await as('ada', Send, ['dan', 'Secret', '--mode', 'client'])).code).toBe(7);
    expect((await as('ada', Verify, ['dan'])).code).toBe(2);
  });

  it('becomes a group with others, who read from then on', async () => {
    const promoted = await as('ada', Promote, ['bob', 'cleo', '--name', 'Three']);
    expect(promoted.stdout).toBe('The group is #Three, with 3 members.\n');
    await as('bob', Send, ['Three', 'Hello, Cleo']);
    expect(await texts('cleo', 'Three')).toEqual(['Hello, Cleo']);
    expect((await texts('ada', 'Three')).slice(0, 2)).toEqual(['For you alone', 'And for you']);
  });

  it('is not searched, which is said', async () => {
    const within = await as('ada', Search, ['--in', 'Three', 'Hello']);
    expect(within).toMatchObject({ code: 2, stdout: '' });
    expect(flat(within.stderr)).toContain('the node cannot search it');
    const all = await as('ada', Search, ['Hello']);
    expect(all).toMatchObject({ code: 0, stdout: '' });
    expect(all.stderr).toContain('are not searched');
  });
});

describe('a node that claims to read what it may not', () => {
  it('is not believed about the mode, and gets no text', async () => {
    const env = { ...people.home.env, XDG_CONFIG_HOME: join(people.home.folder, 'ada') };
    await using client = await openClient({ env, userAgent: 'test', command: 'test' });
    const place = await conversationNamed(client, '#Three');
    const side = sideWithKey(client, people.phrases.get('ada'), () => undefined);
    await expect(side.isSealed(place)).resolves.toBe(true);
    const claimed = { ...place, mode: 'server' } as const;
    const changed = { kind: 'network', code: 'CONVERSATION_MODE_CHANGED', message: expect.stringContaining('Three') };
    await expect(side.isSealed(claimed)).rejects.toMatchObject(changed);
    await expect(side.read(claimed, [])).rejects.toMatchObject(changed);
    await expect(removingWithKey(side, claimed, '', async () => 'done')).rejects.toMatchObject(changed);
    // The node says that there is no conversation with Cleo, where this machine knows one.
    const cleoId = await memberIdOf('cleo');
    await remember(await side.memory(), 'ee'.repeat(16), () => ({
      conversationId: 'ee'.repeat(16),
      with: cleoId,
      epochs: [],
      memberIds: [],
      files: [],
    }));
    const lost = await as('ada', Send, ['cleo', 'Secret']);
    expect(lost).toMatchObject({ code: 7, stdout: '' });
    expect(flat(lost.stderr)).toContain('--mode client or --mode server');
    expect((await as('ada', Send, ['cleo', 'Anybody may know', '--mode', 'server'])).code).toBe(0);
    expect((await as('ada', Send, ['cleo', 'This too'])).code).toBe(0);
  });

  it('is told apart from one whose messages come as they are said', async () => {
    const env = { ...people.home.env, XDG_CONFIG_HOME: join(people.home.folder, 'bob') };
    await using client = await openClient({ env, userAgent: 'test', command: 'test' });
    const said: string[] = [];
    const sideWith = (key: string | undefined) => sideWithKey(client, key, (text) => void said.push(text));
    const place = await conversationNamed(client, '#Three');
    const all = await openNewMessages(client, await sealedWatching(sideWith(people.phrases.get('bob')), undefined));
    const one = newMessagesIn(client, place, await sealedWatching(sideWith(people.phrases.get('bob')), place));
    expect(said).toEqual([]);
    const without = await openNewMessages(client, await sealedWatching(sideWith(undefined), undefined));
    expect(said).toEqual([expect.stringContaining('--key-file')]);
    await as('ada', Send, ['Three', 'Listen']);
    expect((await all()).map(messageLine)).toEqual([expect.stringMatching(/\t#Three\tada\tListen$/)]);
    expect((await one()).map(({ message }) => message.content)).toEqual(['Listen']);
    expect((await without()).map(messageLine)).toEqual([expect.stringContaining('(encrypted by its members)')]);
    await as('ada', Add, ['Three', 'dan']);
    await as('ada', Send, ['Three', 'Under another key']);
    expect((await all()).map(({ message }) => message.content)).toEqual(['Under another key']);
  });
});

describe('the key of a member', () => {
  it('is needed, is theirs, and can be asked for', async () => {
    const none = await as('bob', Read, ['Three'], { env: { CONCLAVE_KEY: undefined } });
    expect(none).toMatchObject({ code: 2, stdout: '' });
    expect(none.stderr).toContain('--key-file');
    const path = await people.home.file('phrase.txt', `${people.phrases.get('ada')}\n`);
    const wrong = await as('bob', Read, ['Three', '--key-file', path]);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('not the key of bob');
    const typed = await as('ada', Read, ['Three'], {
      env: { CONCLAVE_KEY: undefined },
      person: [['Recovery phrase', people.phrases.get('ada')]],
    });
    expect(typed.stdout).toContain('Hello, Cleo');
    expect(typed.stderr).not.toContain(people.phrases.get('ada')!.split(' ')[0]!);
    // The key itself is for more than containers.
    const key = await as('ada', Key, [], {
      env: { CONCLAVE_KEY: undefined },
      person: [['containers and conversations', people.phrases.get('ada')]],
    });
    expect(key).toMatchObject({ code: 0, stdout: expect.stringMatching(/^(?:[a-z]+ ){9}[a-z]+\n$/) });
  });

  it('opens everything on another machine too, where a sign-in by key is not warned of', async () => {
    await as('ada', Settings, ['--direct-challenge']);
    const key = people.phrases.get('ada');
    const signedIn = await on('laptop', 'ada', Login, ['ada', '--key'], { env: { CONCLAVE_KEY: key } });
    expect(signedIn.code).toBe(0);
    const read = await on('laptop', 'ada', Read, ['Three']);
    expect(read.stdout).toContain('For you alone');
    expect(read.stderr).not.toContain('password');
  });
});
