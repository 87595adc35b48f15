import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import FilterAdd from '../../../commands/social/filter/add.ts';
import AddToHub from '../../../commands/social/hub/add.ts';
import CreateHub from '../../../commands/social/hub/create.ts';
import EditHub from '../../../commands/social/hub/edit.ts';
import Join from '../../../commands/social/hub/join.ts';
import Moderators from '../../../commands/social/hub/moderators.ts';
import TempBan from '../../../commands/social/hub/temp-ban.ts';
import Transfer from '../../../commands/social/hub/transfer.ts';
import Hubs from '../../../commands/social/hubs.ts';
import AddToList from '../../../commands/social/list/add.ts';
import CreateList from '../../../commands/social/list/create.ts';
import Forward from '../../../commands/social/message/forward.ts';
import AddToGroup from '../../../commands/social/message/group/add.ts';
import CreateGroup from '../../../commands/social/message/group/create.ts';
import RemoveFromGroup from '../../../commands/social/message/group/remove.ts';
import GroupSettings from '../../../commands/social/message/group/settings.ts';
import ReportMessage from '../../../commands/social/message/report.ts';
import Review from '../../../commands/social/message/review.ts';
import SearchMessages from '../../../commands/social/message/search.ts';
import SendMessage from '../../../commands/social/message/send.ts';
import MessageSettings from '../../../commands/social/message/settings.ts';
import PostCommand from '../../../commands/social/post.ts';
import EditProfile from '../../../commands/social/profile/edit.ts';
import Quote from '../../../commands/social/quote.ts';
import Reply from '../../../commands/social/reply.ts';
import ReportCommand from '../../../commands/social/report.ts';
import SearchCommand from '../../../commands/social/search.ts';
import Timeline from '../../../commands/social/timeline.ts';
import { saidFor } from '../../../src/cli/kit/problem-report.ts';
import { openMailPeople, type MailPeople } from '../mail/mail-people.ts';

type WithWords = { readonly args: object; readonly flags?: object };
type Command = Parameters<MailPeople['run']>[1];

/** A command that knows its name, as it does when a person calls it. */
function called(id: string, command: Command): Command {
  return class extends (command as typeof PostCommand) {
    static override readonly id = `social:${id}`;
  };
}

const long = 'x'.repeat(600);
const post = '0'.repeat(32);
const unseen = 'must have visible characters';

describe('what is wrong with a value', () => {
  let people: MailPeople;
  beforeAll(async () => {
    people = await openMailPeople('url', ['ada', 'bob']);
    await people.run('ada', CreateHub, ['Garden']);
    await people.run('ada', CreateList, ['Friends']);
    await people.run('ada', CreateGroup, ['Tea', 'bob']);
  });
  afterAll(async () => await people[Symbol.asyncDispose]());

  const wrong: readonly (readonly [id: string, Command, readonly string[], string])[] = [
    ['post', PostCommand, [''], `TEXT: ${unseen}`],
    ['post', PostCommand, ['x', '--warning', '\u200b'], `--warning: ${unseen}`],
    ['post', PostCommand, ['x', '--hub', long], '--hub: must be at most 64 characters'],
    ['reply', Reply, [post, ''], `TEXT: ${unseen}`],
    ['reply', Reply, ['x', 'y'], 'POST: must be 32 hex digits'],
    ['quote', Quote, [post, ''], `TEXT: ${unseen}`],
    ['report', ReportCommand, [post, ''], 'REASON: must not be empty'],
    ['report', ReportCommand, [post, 'x', '--hub', long], '--hub: must be at most 64 characters'],
    ['search', SearchCommand, [long], 'WORDS: must be at most 500 characters'],
    ['timeline', Timeline, ['hub', long], 'NAME: must be at most 64 characters'],
    ['timeline', Timeline, ['tag', long], 'NAME: must be at most 101 characters'],
    ['timeline', Timeline, ['user', 'a b'], 'NAME: '],
    [
      'hub:temp-ban',
      TempBan,
      ['garden', 'bob', '--days', '99999', '--reason', 'x'],
      '--days: must be a whole number from 1 to 3650',
    ],
    ['hub:temp-ban', TempBan, ['garden', 'a b', '--days', '1', '--reason', 'x'], 'PERSON: '],
    ['hub:temp-ban', TempBan, ['garden', 'bob', '--days', '1', '--reason', ''], '--reason: must not be empty'],
    ['hub:create', CreateHub, ['\u202eabc'], 'NAME: must not contain characters that change the direction of text'],
    ['hub:create', CreateHub, ['Bees', '--below', long], '--below: must be at most 64 characters'],
    ['hub:edit', EditHub, ['garden', '--name', '\u200b'], `--name: ${unseen}`],
    ['hub:edit', EditHub, [long, '--name', 'x'], 'HUB: must be at most 64 characters'],
    ['hub:join', Join, [long], 'HUB: must be at most 64 characters'],
    ['hubs', Hubs, ['--explore', '--query', long], '--query: must be at most 100 characters'],
    ['hub:add', AddToHub, ['garden', 'bob', 'a b'], 'PEOPLE: '],
    ['hub:moderators', Moderators, ['garden', '--add', 'a b'], 'MEMBER: '],
    ['hub:transfer', Transfer, ['garden', 'a b', '--yes'], 'PERSON: '],
    ['list:add', AddToList, ['Friends', 'a b'], 'MEMBER: '],
    ['list:create', CreateList, ['\u202e'], 'NAME: must have visible characters'],
    ['filter:add', FilterAdd, ['\u200b'], `PHRASE: ${unseen}`],
    ['profile:edit', EditProfile, ['--display-name', '\u200b'], `--display-name: ${unseen}`],
    ['message:send', SendMessage, ['bob', '\u200b'], `TEXT: ${unseen}`],
    ['message:send', SendMessage, ['ada', 'x'], 'NAME: must not be yourself'],
    ['message:report', ReportMessage, [post, '--reason', ''], '--reason: must not be empty'],
    ['message:search', SearchMessages, [long], 'WORDS: must be at most 200 characters'],
    ['message:group:create', CreateGroup, ['\u200b', 'bob'], 'NAME: '],
    ['message:group:create', CreateGroup, ['Cake', 'bob', 'a b'], 'MEMBER: '],
    ['message:group:add', AddToGroup, ['Tea', 'bob', 'a b'], 'MEMBER: '],
    ['message:group:remove', RemoveFromGroup, ['Tea', 'a b'], 'MEMBER: '],
    ['message:group:settings', GroupSettings, ['Tea', '--name', '\u200b'], '--name: '],
  ];
  it.each(wrong)('is said with a word of the command: %s', async (id, command, argv, said) => {
    const { code, stderr } = await people.run('ada', called(id, command), [...argv]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`  ${said}`)]);
  });

  /** Commands look these up, or make them, before they ask for anything. */
  const seldom = [
    ['forward', Forward, 'targetConversationId', 'NAME'],
    ['send', SendMessage, 'replyToMessageId', '--reply-to'],
    ['settings', MessageSettings, 'expiresAt', '--mute'],
    ['group settings', GroupSettings, 'avatarUrl', '--picture'],
    ['review', Review, 'reportId', 'REPORT'],
  ] as const;
  it.each(seldom)(
    'would be said with one: social message %s',
    (command, { args, flags = {} }: WithWords, field, word) => {
      const words = { args: Object.keys(args), flags: Object.keys(flags) };
      expect(saidFor(field, { command: `social message ${command}`, ...words })).toBe(word);
    },
  );

  it('names the field of the interface in JSON', async () => {
    const { stderr } = await people.run('ada', PostCommand, ['', '--json']);
    expect(JSON.parse(stderr).error.fields).toEqual([{ path: 'content', message: unseen }]);
  });
});
