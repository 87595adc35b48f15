import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import DraftRemove from '../../../commands/chat/draft/remove.ts';
import DraftSend from '../../../commands/chat/draft/send.ts';
import DraftSet from '../../../commands/chat/draft/set.ts';
import DraftShow from '../../../commands/chat/draft/show.ts';
import Create from '../../../commands/chat/group/create.ts';
import Read from '../../../commands/chat/read.ts';
import Schedule from '../../../commands/chat/schedule.ts';
import ScheduledEdit from '../../../commands/chat/scheduled/edit.ts';
import ScheduledList from '../../../commands/chat/scheduled/list.ts';
import ScheduledRemove from '../../../commands/chat/scheduled/remove.ts';
import Send from '../../../commands/chat/send.ts';
import { openPeopleWithKeys, type PeopleWithKeys } from './people-with-keys.ts';

const names = ['ada', 'bob'] as const;
type Name = (typeof names)[number];

let people: PeopleWithKeys<Name>;
const as: PeopleWithKeys<Name>['as'] = async (...ran) => await people.as(...ran);

const textsIn = async (name: Name, place: string): Promise<(string | null)[]> =>
  (await as(name, Read, [place, '--json'])).json().items.map(({ content }: { content: string | null }) => content);

beforeAll(async () => {
  people = await openPeopleWithKeys(names, 'the long secret');
  await as('ada', Send, ['bob', 'Tea?']);
});
afterAll(async () => await people[Symbol.asyncDispose]());

describe('drafts from a terminal', () => {
  it('are kept, shown, sent and deleted', async () => {
    const none = await as('ada', DraftShow, ['bob']);
    expect(none).toMatchObject({ code: 0, stdout: '' });
    expect(none.stderr).toBe('You have no draft in bob. To keep one, run: conclave chat draft set bob TEXT\n');
    expect(await as('ada', DraftSend, ['bob'])).toMatchObject({ code: 6, stdout: '' });
    expect((await as('ada', DraftSet, ['bob', 'First'])).stdout).toBe('The draft is kept.\n');
    const { items } = (await as('ada', Read, ['bob', '--json'])).json();
    const set = await as('ada', DraftSet, ['bob', '--reply', items[0].id, '--json'], { stdin: 'Or coffee?\n' });
    const kept = { content: 'Or coffee?', replyToMessageId: items[0].id };
    expect(set.json()).toMatchObject(kept);
    expect((await as('ada', DraftShow, ['bob'])).stdout).toBe(`> ${items[0].id}\nOr coffee?\n`);
    expect((await as('ada', DraftShow, ['bob', '--json'])).json()).toMatchObject({ draft: kept });
    expect((await as('bob', DraftShow, ['ada', '--json'])).json()).toEqual({ draft: null });
    expect((await as('ada', DraftSend, ['bob', '--json'])).json()).toMatchObject(kept);
    expect((await as('ada', DraftShow, ['bob', '--json'])).json()).toEqual({ draft: null });
    expect(await textsIn('bob', 'ada')).toEqual(['Tea?', 'Or coffee?']);
    await as('ada', DraftSet, ['bob', 'Not this']);
    expect((await as('ada', DraftRemove, ['bob'])).stdout).toBe('There is no draft any more.\n');
    expect((await as('ada', DraftShow, ['bob', '--json'])).json()).toEqual({ draft: null });
    expect(await textsIn('bob', 'ada')).toHaveLength(2);
  });

  it('are sealed by their author where only members can read, and nothing is scheduled there', async () => {
    await as('ada', Create, ['board', 'bob', '--mode', 'client']);
    expect((await as('ada', DraftSet, ['board', 'For us alone'])).stdout).toBe('The draft is kept.\n');
    expect((await as('ada', DraftShow, ['board'])).stdout).toBe('For us alone\n');
    const withoutKey = await as('ada', DraftShow, ['board'], { env: { CONCLAVE_KEY: undefined } });
    expect(withoutKey).toMatchObject({ code: 2, stdout: '' });
    const later = await as('ada', Schedule, ['board', 'Not for the node', '--at', '1h']);
    expect(later).toMatchObject({ code: 2, stdout: '' });
    expect(later.stderr).toContain('Only its members can read #board');
    expect((await as('ada', DraftSend, ['board', '--json'])).json()).toMatchObject({ content: 'For us alone' });
    expect((await as('ada', DraftShow, ['board', '--json'])).json()).toEqual({ draft: null });
    expect(await textsIn('bob', 'board')).toEqual(['For us alone']);
  });
});

describe('scheduled messages from a terminal', () => {
  it('are listed, changed and removed', async () => {
    const empty = await as('bob', ScheduledList, []);
    expect(empty).toMatchObject({ code: 0, stdout: '', stderr: 'No message is scheduled.\n' });
    for (const [at, reason] of [
      ['never', '--at must be a time'],
      ['2020-01-01', '--at must be in the future'],
    ] as const) {
      const refused = await as('bob', Schedule, ['ada', 'Later', '--at', at]);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain(reason);
    }
    const one = (await as('bob', Schedule, ['ada', 'Later', '--at', '1m', '--client-id', 'x', '--json'])).json();
    expect(one).toMatchObject({ content: 'Later', status: 'waiting', clientId: 'x' });
    const two = await as('bob', Schedule, ['ada', '--at', '2h'], { stdin: 'Much later\n' });
    expect(two.stdout).toMatch(/^\d{4}-[^\t]+\tada\twaiting\tMuch later\t[0-9a-f]{32}\n$/);
    const id = two.stdout.trim().slice(-32);
    const listed = async (argv: readonly string[] = []) =>
      (await as('bob', ScheduledList, [...argv, '--json']))
        .json()
        .items.map(({ content }: { content: string }) => content);
    expect(await listed()).toEqual(['Later', 'Much later']);
    expect(await listed(['--in', 'ada', '--limit', '1'])).toEqual(['Later']);
    expect(await listed(['--in', 'board'])).toEqual([]);
    const edited = await as('bob', ScheduledEdit, [id.slice(0, 31), 'At last', '--json']);
    expect(edited.json()).toMatchObject({ content: 'At last' });
    const moved = (await as('bob', ScheduledEdit, [id, '--at', '2099-01-01'])).stderr;
    expect(moved).toContain('must be at most one year ahead');
    expect((await as('bob', ScheduledEdit, [id, '--at', '3h', '--json'])).json()).toMatchObject({ content: 'At last' });
    expect(await as('ada', ScheduledEdit, [id, 'Mine'])).toMatchObject({ code: 6, stdout: '' });
    expect((await as('bob', ScheduledRemove, [id])).stdout).toBe(`Removed ${id}. It is not sent.\n`);
    expect(await as('bob', ScheduledRemove, [id.slice(0, 31)])).toMatchObject({ code: 6, stdout: '' });
    expect(await listed()).toEqual(['Later']);
  });
});
