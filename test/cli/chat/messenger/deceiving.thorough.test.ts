import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import Chat from '../../../../commands/chat.ts';
import CreateGroup from '../../../../commands/chat/group/create.ts';
import Read from '../../../../commands/chat/read.ts';
import Send from '../../../../commands/chat/send.ts';
import type { Conversation } from '../../../../src/contract/chat/conversation.ts';
import { openDeceivingProxy, type DeceivingProxy } from '../deceiving-proxy.ts';
import { openPeopleWithKeys, type PeopleWithKeys } from '../people-with-keys.ts';
import { acting } from './acting.ts';

const names = ['ada', 'bob'] as const;
type Name = (typeof names)[number];

let people: PeopleWithKeys<Name>;
let proxy: DeceivingProxy;
const as: PeopleWithKeys<Name>['as'] = async (...ran) => await people.as(...ran);
const SECRET = 'SECRET-TEXT';
const wasSent = (): boolean => proxy.received.some(({ body, path }) => `${path} ${body.toString()}`.includes(SECRET));
const written = () => proxy.received.filter(({ method, path }) => method !== 'GET' && /messages|draft/.test(path));
/** Changes the conversations of a list. */
const listed = (change: (one: Conversation) => Partial<Conversation>): void => {
  proxy.alter = ({ path }, data: { items: Conversation[] }) =>
    /^\/api\/(?:conversations|groups)\?/.test(path)
      ? { ...data, items: data.items.map((one) => ({ ...one, ...change(one) })) }
      : undefined;
};
/** What stands on the screen, without what places it there. */
const flat = (text: string): string =>
  text
    .split('\u001b')
    .map((part) => part.replace(/^\[[\d;]*[HK]/, ' '))
    .join('')
    .replaceAll('│', ' ')
    .replaceAll(/\s+/g, ' ');

beforeAll(async () => {
  people = await openPeopleWithKeys(names, 'the long secret', async (url) => {
    proxy = await openDeceivingProxy(url);
    return proxy.url;
  });
  await as('ada', CreateGroup, ['Elsewhere', 'bob']);
  await as('ada', CreateGroup, ['Board', 'bob', '--mode', 'client']);
  await as('ada', Send, ['#Board', 'The treaty']);
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await people[Symbol.asyncDispose]();
});
beforeEach(() => {
  proxy.alter = undefined;
  proxy.received.length = 0;
});

describe('a node that deceives somebody in bare conclave chat', () => {
  it('is named on the screen, gets nothing while they write, and is compared with by /verify until all fits', async () => {
    listed(({ title }) => (title === 'Board' ? { mode: 'server' } : {}));
    const run = await as('ada', Chat, [], {
      person: acting(
        ['#Board', '\t/open Board'],
        ['Nothing is sent here: /verify compares', SECRET],
        ['Nothing is sent here before that is solved: /verify', '\u0015/verify'],
        [
          'Safety number',
          () => {
            expect([wasSent(), written()]).toEqual([false, []]);
            proxy.alter = undefined;
            return '';
          },
        ],
        ['/verify compares', '/verify'],
        ['has it (you)', ''],
        ['The treaty', 'Signed'],
        ['Signed', '/quit'],
      ),
    });
    expect(run.code).toBe(0);
    expect(flat(run.stderr)).toMatch(
      /The node says that it can read Board, which only its members could read until now. A mode never changes/,
    );
    expect(run.stderr).toMatch(/Fits +no[\s\S]*Fits +yes/);
    expect(wasSent()).toBe(false);
    const { items } = (await as('bob', Read, ['#Board', '--json'])).json();
    expect(items.map(({ content }: { content: string }) => content)).toEqual(['The treaty', 'Signed']);
  });

  it('gets nothing with the keys of an earlier state, not even as a draft, and what was written is not lost', async () => {
    proxy.alter = ({ path }, data: object) =>
      path.includes('/epochs') ? { ...data, epoch: 0, epochs: [], keys: [] } : undefined;
    const run = await as('ada', Chat, [], {
      person: acting(['#Board', '\t/open Board'], ['earlier state', SECRET], ['before that is solved', '\tq']),
    });
    expect(run.code).toBe(0);
    expect([wasSent(), written()]).toEqual([false, []]);
    expect(run.stderr.endsWith(`You have not sent this to #Board:\n${SECRET}\n`)).toBe(true);
  });

  it('gets no text under the name of another conversation, whose name it changes while that is open', async () => {
    const run = await as('ada', Chat, [], {
      person: acting(
        ['#Elsewhere', '\t/open Elsewhere'],
        [
          'Nothing was said here',
          () => {
            listed(({ title }) => (title === 'Elsewhere' ? { title: 'Board' } : { title: 'Other' }));
            return '\t.';
          },
        ],
        ['> #Board', SECRET],
        ['not sent: This machine knows Board as', `/search ${SECRET}`],
        ['This machine knows Board as', '\u0015/quit'],
      ),
    });
    expect(run.code).toBe(0);
    expect([wasSent(), written()]).toEqual([false, []]);
    expect(run.stderr).toContain(`You have not sent this to #Board:\n${SECRET}\n`);
  });
});
