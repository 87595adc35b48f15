import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import CreateChannel from '../../../commands/chat/channel/create.ts';
import CreateGroup from '../../../commands/chat/group/create.ts';
import { memoryOf } from '../../../src/cli/chat/sealed/own-side.ts';
import { remember } from '../../../src/client/chat/known-conversations.ts';
import { openClient } from '../../../src/client/client.ts';
import { allCommands, flagsOfCommand, type AnyCommand } from '../all-commands.ts';
import { openPeopleWithKeys, type PeopleWithKeys } from './people-with-keys.ts';

/** What stands for each argument that names a conversation, and for each that does not. */
const places: Readonly<Record<string, string>> = {
  with: 'Board',
  group: 'Board',
  room: 'Board',
  conversation: 'Board',
  channel: 'vault',
};
const others: Readonly<Record<string, string>> = {
  member: 'bob',
  message: '01a207df9916',
  text: 'Hello',
  role: 'moderator',
  time: '7d',
  emoji: '👍',
  name: 'Another',
  invite: '01a207df9916',
  webhook: 'deploys',
  words: 'hello',
};
/** Options that take the name of a conversation. */
const naming = ['in', 'read', 'write'];
/** What some need beside their arguments. */
const needed: Readonly<Record<string, readonly string[]>> = {
  'chat schedule': ['--at', '2h'],
  'chat group mute': ['--for', '1h'],
  'chat channel mute': ['--for', '1h'],
  'chat group edit': ['--slow', '10s'],
  'chat channel edit': ['--topic', 'Tea'],
};
/** What shows whether a name is right, and what is for those who are not in it. */
const without = new Set(['chat verify', 'chat channel join']);

const commands = [...(await allCommands())].filter(([words]) => words.startsWith('chat ') && !without.has(words));
const named = commands.flatMap(([words, command]) => {
  const names = Object.keys(command.args ?? {});
  const flags = flagsOfCommand(command);
  const argv = [...names.map((name) => places[name] ?? others[name] ?? ''), ...(needed[words] ?? [])];
  if ('yes' in flags) argv.push('--yes');
  const byArgument = names.some((name) => name in places) ? [{ words, command, argv }] : [];
  const byFlag = naming
    .filter((flag) => flags[flag]?.type === 'option')
    .map((flag) => ({ words: `${words} --${flag}`, command, argv: argv.concat(`--${flag}`, 'Board') }));
  return byArgument.concat(byFlag);
});

let people: PeopleWithKeys<'ada' | 'bob'>;

beforeAll(async () => {
  people = await openPeopleWithKeys(['ada', 'bob'], 'the long secret of all');
  expect((await people.as('ada', CreateGroup, ['Board', 'bob'])).code).toBe(0);
  expect((await people.as('ada', CreateChannel, ['vault', '--visibility', 'private'])).code).toBe(0);
  const env = { ...people.home.env, XDG_CONFIG_HOME: join(people.home.folder, 'ada') };
  await using client = await openClient({ env, userAgent: 'test', command: 'test' });
  const memory = await memoryOf(client);
  // This machine knows others of these names, which only their members can read.
  for (const [title, digits] of Object.entries({ Board: 'ee', vault: 'ff' })) {
    const conversationId = digits.repeat(16);
    const known = { conversationId, title, epochs: [], memberIds: [], files: [] };
    await remember(memory, conversationId, () => known);
  }
});
afterAll(async () => await people[Symbol.asyncDispose]());

async function run(command: AnyCommand, argv: readonly string[]) {
  const { code, stdout, stderr } = await people.as('ada', command, [...argv]);
  return { code, stdout, said: stderr.replaceAll(/\s+/g, ' ') };
}

describe('a name that was that of another conversation on this machine', () => {
  it.each(named)('is not taken by conclave $words', async ({ command, argv }) => {
    const refused = await run(command, argv);
    expect(refused).toMatchObject({ code: 8, stdout: '' });
    expect(refused.said).toContain('and the node says that it is the conversation');
  });

  it('is asked about in all commands that take one', () => {
    expect(named.length).toBeGreaterThan(50);
    expect(named.map(({ words }) => words)).toEqual(
      expect.arrayContaining(['chat settings', 'chat scheduled list --in']),
    );
  });
});
