import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Create from '../../../commands/chat/group/create.ts';
import Read from '../../../commands/chat/read.ts';
import Send from '../../../commands/chat/send.ts';
import Follow from '../../../commands/chat/thread/follow.ts';
import Unfollow from '../../../commands/chat/thread/unfollow.ts';
import Threads from '../../../commands/chat/threads.ts';
import { openPeopleWithKeys, type PeopleWithKeys } from './people-with-keys.ts';

const names = ['ada', 'bob'] as const;
type Name = (typeof names)[number];

let people: PeopleWithKeys<Name>;
const as: PeopleWithKeys<Name>['as'] = async (...ran) => await people.as(...ran);

const sent = async (name: Name, argv: readonly string[]): Promise<string> =>
  (await as(name, Send, [...argv, '--json'])).json().id;
const texts = (items: readonly { readonly content: string | null }[]) => items.map(({ content }) => content);
const rows = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
const short = (id: string) => id.slice(0, 24);

beforeAll(async () => {
  people = await openPeopleWithKeys(names, 'the long secret');
});
afterAll(async () => await people[Symbol.asyncDispose]());

describe('threads from a terminal', () => {
  it('are answered, listed with the unread ones first, read alone, and followed', async () => {
    const first = await as('ada', Threads, []);
    expect(first).toMatchObject({ code: 0, stdout: '', stderr: 'There are no threads here.\n' });
    await as('ada', Create, ['tea', 'bob']);
    const [tea, cake] = [await sent('ada', ['tea', 'Tea?']), await sent('bob', ['tea', 'Cake?'])];
    const answer = await sent('bob', ['tea', 'Yes', '--thread', short(tea)]);
    await as('ada', Send, ['tea', 'With jam', '--reply', cake]);
    await as('ada', Read, ['tea']);
    await sent('bob', ['tea', 'Earl Grey', '--thread', answer]);
    await sent('bob', ['tea', 'Something else']);
    const direct = await sent('ada', ['bob', 'Alone?']);
    await sent('bob', ['ada', 'Alone', '--reply', direct]);

    const listed = rows((await as('ada', Threads, [])).stdout);
    expect(
      listed.map(([where, from, unread, replies, , followed, text]) => [where, from, unread, replies, followed, text]),
    ).toEqual([
      ['bob', 'ada', '1', '1', 'yes', 'Alone?'],
      ['#tea', 'ada', '1', '2', 'yes', 'Tea?'],
      ['#tea', 'bob', '0', '1', 'yes', 'Cake?'],
    ]);
    expect(rows((await as('ada', Threads, ['tea'])).stdout).map((row) => row.at(-1))).toEqual([tea, cake]);
    const some = await as('ada', Threads, ['tea', '--limit', '1']);
    expect(rows(some.stdout).map((row) => row.at(-1))).toEqual([tea]);
    expect(some.stderr).toBe('There are more. Use --limit or --all.\n');
    expect((await as('ada', Threads, ['tea', '--unread', '--following', '--json'])).json()).toMatchObject({
      items: [{ threadId: tea, unread: 1, conversation: '#tea' }],
      hasMore: false,
    });

    const kept = (await as('ada', Read, ['tea', '--thread', short(tea), '--keep-unread', '--json'])).json();
    expect(kept).toMatchObject({ title: 'tea', thread: { threadId: tea, unread: 1, root: { content: 'Tea?' } } });
    expect(texts(kept.items)).toEqual(['Yes', 'Earl Grey']);
    const read = await as('ada', Read, ['tea', '--thread', answer, '--limit', '1']);
    expect(rows(read.stdout).map((row) => row.at(-1))).toEqual(['Tea?', 'Earl Grey']);
    expect(read.stderr).toBe('There are more. Use --limit or --all.\n');
    expect((await as('ada', Threads, ['tea', '--unread'])).stdout).toBe('');
    // The rest of the conversation is as unread as before.
    expect(texts((await as('ada', Read, ['tea', '--unread', '--json'])).json().items)).toEqual([
      'Earl Grey',
      'Something else',
    ]);

    expect((await as('ada', Unfollow, ['tea', short(tea)])).stdout).toBe('You do not follow the thread.\n');
    expect(rows((await as('ada', Threads, ['tea', '--following'])).stdout).map((row) => row.at(-1))).toEqual([cake]);
    expect((await as('ada', Follow, ['tea', tea])).stdout).toBe('You follow the thread.\n');
    const missing = await as('ada', Follow, ['tea', '00000000']);
    expect(missing).toMatchObject({ code: 6, stdout: '' });
    expect(missing.stderr).toContain('conclave chat threads');
    expect(await as('ada', Send, ['tea', 'x', '--thread', tea, '--reply', tea])).toMatchObject({ code: 2 });
  });

  it('where only members can read are opened on their machines, and the node knows them from --thread alone', async () => {
    await as('ada', Create, ['board', 'bob', '--mode', 'client']);
    const vote = await sent('ada', ['board', 'The vote']);
    await as('bob', Send, ['board', 'Unknown to the node', '--reply', vote]);
    expect((await as('ada', Threads, ['board'])).stdout).toBe('');
    await as('bob', Send, ['board', 'On Friday', '--thread', vote]);
    const listed = rows((await as('ada', Threads, ['board'])).stdout);
    expect(listed.map((row) => row.slice(0, 3))).toEqual([['ada', '1', '1']]);
    expect(listed[0]?.slice(-2)).toEqual(['The vote', vote]);
    const { thread, items } = (await as('ada', Read, ['board', '--thread', vote, '--json'])).json();
    expect([thread.root.content, ...texts(items)]).toEqual(['The vote', 'On Friday']);
    expect(items[0]).toMatchObject({ replyToMessageId: vote, threadId: vote });
    expect((await as('ada', Threads, ['board', '--unread'])).stdout).toBe('');
    // Without the key the list of all is there, and says nothing of it.
    const without = await as('ada', Threads, ['--json'], { env: { CONCLAVE_KEY: undefined } });
    const board = without.json().items.find(({ threadId }: { threadId: string }) => threadId === vote);
    expect(board).toMatchObject({ conversation: '#board', root: { content: null } });
  });
});
