import { perform, type Caller } from '../../client/perform.ts';
import { chat } from '../../contract/chat.ts';
import type { ContextType, Conversation } from '../../contract/chat/conversation.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { Problem } from '../../base/problem.ts';
import { counted } from '../kit/counted.ts';
import { idFrom } from '../kit/id-part.ts';
import { ambiguous } from '../kit/pick.ts';
import { myName } from '../social/my-name.ts';
import { memberIfKnown } from './members.ts';
import { beginningOf } from './message-view.ts';
import { operationsOf } from './operations.ts';
import { conversationsOf } from './own-conversations.ts';

const idOfConversation = /^[0-9a-f]{32}$/i;

/**
 * The conversation that a person names: by the other member, by the name of a group, or by its id. Usernames come before names of groups, which `#`
 * makes unmistakable.
 *
 * @throws Problem missing CONVERSATION_NOT_FOUND, MEMBER_NOT_FOUND; conflict AMBIGUOUS; invalid USAGE for the caller
 */
export async function conversationNamed(caller: Caller, text: string): Promise<Conversation> {
  const memberId = meansMember(text) ? await memberIfKnown(caller, text) : undefined;
  return memberId === undefined
    ? await conversationBeside(caller, text)
    : await conversationWith(caller, memberId, text);
}

/** Whether a word can be the name of a member. */
export function meansMember(text: string): boolean {
  return !text.startsWith('#') && !idOfConversation.test(text);
}

/** The conversation with a member. @param text how they were named @throws Problem missing CONVERSATION_NOT_FOUND; invalid USAGE */
export async function conversationWith(caller: Caller, memberId: string, text: string): Promise<Conversation> {
  const [found] = (await perform(caller, chat.listConversations, { memberId })).items;
  if (found !== undefined) return found;
  if (memberId === (await myName(caller)))
    throw new Problem('invalid', 'USAGE', 'You have no conversation with yourself.');
  throw noConversation(`You have no conversation with ${text}. To begin one, run: conclave chat send ${text}`);
}

/** The conversation that a word names which is no member whom the caller can reach. @throws Problem as `conversationNamed` does */
export async function conversationBeside(caller: Caller, text: string): Promise<Conversation> {
  if (idOfConversation.test(text)) {
    const id = text.toLowerCase();
    const found = (await groupById(caller, id)) ?? (await among(caller, 'direct', (one) => one.id === id)).at(0);
    if (found !== undefined) return found;
    throw noConversation(`You are in no conversation with the id ${text}. To list yours, run: conclave chat list`);
  }
  if (text.startsWith('#')) return await groupNamed(caller, text);
  // Somebody who cannot be reached any more has no profile, but the conversation has their name.
  const [parted] = await among(caller, 'direct', ({ title }) => title.toLowerCase() === text.toLowerCase());
  if (parted !== undefined) return parted;
  const [group, ...more] = await groupsNamed(caller, text);
  if (group !== undefined) return only(text, [group, ...more]);
  throw new Problem(
    'missing',
    'MEMBER_NOT_FOUND',
    `There is no member ${JSON.stringify(text)} on this node whom you can reach, and you are in no group of this name. To members of other nodes, write with: conclave mail send`,
  );
}

/**
 * The group that a person names, with or without `#`, or by its id.
 *
 * @throws Problem missing CONVERSATION_NOT_FOUND, conflict AMBIGUOUS
 */
export async function groupNamed(caller: Caller, text: string): Promise<Conversation> {
  const name = text.replace(/^#/, '');
  const byId = idOfConversation.test(text) ? await groupById(caller, text.toLowerCase()) : undefined;
  const [found, ...more] = byId === undefined ? await groupsNamed(caller, name) : [byId];
  if (found !== undefined) return only(text, [found, ...more]);
  throw noConversation(`You are in no group ${JSON.stringify(name)}. To list yours, run: conclave chat list`);
}

function only(text: string, groups: readonly [Conversation, ...Conversation[]]): Conversation {
  if (groups.length === 1) return groups[0];
  throw ambiguous(
    text,
    groups.map(({ id, title, memberCount = 0 }) => ({ id, label: `${title}, ${counted(memberCount, 'member')}` })),
  );
}

async function groupById(caller: Caller, conversationId: string): Promise<Conversation | undefined> {
  try {
    return await perform(caller, chat.showGroup, { conversationId });
  } catch (error) {
    if (error instanceof Problem && ['CONVERSATION_NOT_FOUND', 'FORBIDDEN'].includes(error.code)) return undefined;
    throw error;
  }
}

/** Groups of this name; without one, those whose names differ from it in case alone. */
async function groupsNamed(caller: Caller, text: string): Promise<Conversation[]> {
  const folded = (name: string) => name.normalize('NFC').toLowerCase();
  const similar = await among(caller, 'group', ({ title }) => folded(title) === folded(text));
  const same = similar.filter(({ title }) => title.normalize('NFC') === text.normalize('NFC'));
  return same.length > 0 ? same : similar;
}

async function among(
  caller: Caller,
  type: ContextType,
  isWanted: (one: Conversation) => boolean,
): Promise<Conversation[]> {
  const found: Conversation[] = [];
  for (const archived of [false, true])
    for await (const one of conversationsOf(caller, type, archived)) if (isWanted(one)) found.push(one);
  return found;
}

function noConversation(message: string): Problem {
  return new Problem('missing', 'CONVERSATION_NOT_FOUND', message);
}

/**
 * The id of a message, from all of it or the first eight or more digits of one of the newest 200.
 *
 * @throws Problem missing MESSAGE_NOT_FOUND, conflict AMBIGUOUS
 */
export async function messageNamed(
  caller: Caller,
  { id: conversationId, type }: Pick<Conversation, 'id' | 'type'>,
  text: string,
): Promise<string> {
  const newest = { conversationId, limit: chatLimits.mostOnPage };
  const message = `None of the newest ${chatLimits.mostOnPage} messages of this conversation has an id that begins with ${JSON.stringify(text)}.`;
  return await idFrom(
    text,
    async () =>
      (await perform(caller, operationsOf[type].messages, newest)).items.map((one) => ({
        id: one.id,
        label: beginningOf(one),
      })),
    () => new Problem('missing', 'MESSAGE_NOT_FOUND', message),
  );
}
