import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Chat from '../../../../commands/chat.ts';
import CreateGroup from '../../../../commands/chat/group/create.ts';
import List from '../../../../commands/chat/list.ts';
import Read from '../../../../commands/chat/read.ts';
import Send from '../../../../commands/chat/send.ts';
import Threads from '../../../../commands/chat/threads.ts';
import { openPeopleWithKeys, type PeopleWithKeys } from '../people-with-keys.ts';
import { acting } from './acting.ts';

const names = ['ada', 'bob'] as const;
type Name = (typeof names)[number];

let people: PeopleWithKeys<Name>;
const as: PeopleWithKeys<Name>['as'] = async (...ran) => await people.as(...ran);
const sent = async (name: Name, argv: readonly string[]): Promise<string> =>
  (await as(name, Send, [...argv, '--json'])).json().id;
const answers = async (name: Name, place: string, thread: string): Promise<(string | null)[]> =>
  (await as(name, Read, [place, '--thread', thread, '--keep-unread', '--json']))
    .json()
    .items.map(({ content }: { content: string | null }) => content);

beforeAll(async () => {
  people = await openPeopleWithKeys(names, 'the long secret');
});
afterAll(async () => await people[Symbol.asyncDispose]());

describe('a thread in bare conclave chat', () => {
  it('has its messages alone, as they come, is answered in, and reads nothing of the rest', async () => {
    await as('ada', CreateGroup, ['tea', 'bob']);
    const [tea, cake] = [await sent('ada', ['tea', 'Tea?']), await sent('ada', ['tea', 'Cake?'])];
    await sent('ada', ['tea', 'Or coffee', '--thread', tea]);
    const others = async (): Promise<void> => {
      await sent('ada', ['tea', 'Said elsewhere']);
      await sent('ada', ['tea', 'With jam', '--thread', cake]);
      await sent('ada', ['tea', 'Earl Grey', '--thread', tea]);
    };
    const bob = await as('bob', Chat, [], {
      person: acting(
        ['> #tea', ''],
        ['Cake?', `/thread ${tea.slice(0, 12)}`],
        ['#tea / Tea?', 'Tea, please.'],
        ['thread, followed', () => void others()],
        ['Earl Grey', '/threads'],
        ['ANSWERS TO', ''],
        ['Earl Grey', '/unfollow'],
        ['not followed', '/quit'],
      ),
    });
    expect(bob.code).toBe(0);
    const inThread = bob.stderr.slice(bob.stderr.indexOf('#tea / Tea?'));
    expect(inThread).not.toContain('Said elsewhere');
    // The other thread has an answer that nobody has read, and stands before this one.
    expect(inThread).toMatch(/ANSWERS TO[\s\S]* 1 +1 +[0-9a-f]{12} +ada: Cake\?[\s\S]* 0 +3 +[0-9a-f]{12} +ada: Tea\?/);
    expect(await answers('ada', 'tea', tea)).toEqual(['Or coffee', 'Tea, please.', 'Earl Grey']);
    expect((await as('bob', List, ['--json'])).json().items).toMatchObject([{ title: 'tea', unread: 3 }]);
    const unread = (await as('bob', Threads, ['tea', '--unread', '--json'])).json().items;
    expect(unread).toMatchObject([{ threadId: cake }]);
    expect((await as('bob', Threads, ['tea', '--following', '--json'])).json().items).toEqual([]);
  });

  it('where only members can read tells the node which message is answered, and goes back', async () => {
    await as('ada', CreateGroup, ['board', 'bob', '--mode', 'client']);
    const vote = await sent('ada', ['board', 'The vote']);
    const [bob, ada] = await Promise.all([
      as('bob', Chat, [], {
        person: acting(
          ['> #board', ''],
          ['The vote', `/thread ${vote.slice(0, 12)}`],
          ['The node learns which message is answered here', 'On Friday'],
          ['At noon', '/thread'],
          ['2 members', '/reply Not in the thread'],
          ['Not in the thread', '/quit'],
        ),
      }),
      as('ada', Chat, [], {
        person: acting(
          ['> #board', ''],
          ['On Friday', `/thread ${vote.slice(0, 12)}`],
          ['#board / The vote', 'At noon'],
          ['At noon', '/thread'],
          ['Not in the thread', '/quit'],
        ),
      }),
    ]);
    expect([ada.code, bob.code]).toEqual([0, 0]);
    expect(await answers('ada', 'board', vote)).toEqual(['On Friday', 'At noon']);
  });
});
