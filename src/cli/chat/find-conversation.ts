import { doubt } from '../../client/chat/doubts.ts';
import { perform, type Caller } from '../../client/perform.ts';
import { chat } from '../../contract/chat.ts';
import type { Conversation } from '../../contract/chat/conversation.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import type { ChatMessage } from '../../contract/chat/message.ts';
import { Problem } from '../../base/problem.ts';
import { shellWord } from '../kit/shell-word.ts';
import { idFrom } from '../kit/id-part.ts';
import { socialConversationIfAny } from '../social/messages/find-conversation.ts';
import { nameOf } from './conversation-table.ts';
import { memberIfKnown } from './members.ts';
import { beginningOf } from './message-view.ts';
import { operationsOf } from './operations.ts';
import { ownId } from './own-id.ts';
import { conversationsAmong } from './own-conversations.ts';
import {
  channelToJoin,
  isConversationId,
  meansMember,
  noConversation,
  onlyRoomNamed,
  roomById,
  roomNamed,
  roomTypes,
} from './rooms/find-room.ts';

/**
 * The conversation that a person names: by the other member, by the name of a group or channel, or by its id. Usernames come before other names,
 * which `#` makes unmistakable.
 *
 * @throws Problem missing CONVERSATION_NOT_FOUND, MEMBER_NOT_FOUND; conflict AMBIGUOUS; invalid USAGE for the caller
 */
export async function conversationNamed(caller: Caller, text: string): Promise<Conversation> {
  const memberId = meansMember(text) ? await memberIfKnown(caller, text) : undefined;
  return memberId === undefined
    ? await conversationBeside(caller, text)
    : await conversationWith(caller, memberId, text);
}

/**
 * The conversation of the caller and one other member, if there is one.
 * @throws Problem network CONVERSATION_MEMBERS_FOREIGN for an answer that is the conversation of others
 */
export async function directWith(caller: Caller, memberId: string, text: string): Promise<Conversation | undefined> {
  const [found] = (await perform(caller, chat.listConversations, { memberId })).items;
  if (found === undefined) return undefined;
  const both = [memberId, await ownId(caller)];
  const { type, participants = [] } = found;
  if (type === 'direct' && participants.length === 2 && both.every((one) => participants.includes(one))) return found;
  throw doubt('CONVERSATION_MEMBERS_FOREIGN', `The node answered another conversation than that with ${text}.`);
}

/** The conversation with a member. @param text how they were named @throws Problem missing CONVERSATION_NOT_FOUND; invalid USAGE */
export async function conversationWith(caller: Caller, memberId: string, text: string): Promise<Conversation> {
  const found = await directWith(caller, memberId, text);
  if (found !== undefined) return found;
  if (memberId === (await ownId(caller)))
    throw new Problem('invalid', 'USAGE', 'You have no conversation with yourself.');
  throw (
    (await inSocialNetwork(caller, memberId)) ??
    noConversation(`You have no conversation with ${text}. To begin one, run: conclave chat send ${shellWord(text)}`)
  );
}

/** The problem of somebody who names a conversation of the social network, if it is one. */
async function inSocialNetwork(caller: Caller, text: string): Promise<Problem | undefined> {
  const found = await socialConversationIfAny(caller, text, 'direct', 'group');
  if (found === undefined) return undefined;
  const name = shellWord(nameOf(found));
  return noConversation(
    `That conversation is one of the social network. To read it, run: conclave social message read ${name}. To write into it: conclave social message send ${name}`,
  );
}

/** The conversation that a word names which is no member whom the caller can reach. @throws Problem as `conversationNamed` does */
export async function conversationBeside(caller: Caller, text: string): Promise<Conversation> {
  try {
    return await chatBeside(caller, text);
  } catch (error) {
    if (!(error instanceof Problem && error.kind === 'missing')) throw error;
    throw (await inSocialNetwork(caller, text)) ?? error;
  }
}

async function chatBeside(caller: Caller, text: string): Promise<Conversation> {
  if (isConversationId(text)) {
    const id = text.toLowerCase();
    const room = await roomById(caller, id, roomTypes);
    const found = room ?? (await conversationsAmong(caller, 'direct', (one) => one.id === id)).at(0);
    if (found !== undefined) return found;
    throw noConversation(`You are in no conversation with the id ${text}. To list yours, run: conclave chat list`);
  }
  if (text.startsWith('#')) return await roomNamed(caller, text, ...roomTypes);
  // Somebody who cannot be reached any more has no profile, but the conversation has their name.
  const isParted = ({ title }: Conversation) => title.toLowerCase() === text.toLowerCase();
  const [parted] = await conversationsAmong(caller, 'direct', isParted);
  const found = parted ?? (await onlyRoomNamed(caller, text, roomTypes));
  if (found !== undefined) return found;
  const message = `There is no member ${JSON.stringify(text)} on this node whom you can reach, and you are in no group or channel of this name. To members of other nodes, write with: conclave mail send`;
  throw (await channelToJoin(caller, text)) ?? new Problem('missing', 'MEMBER_NOT_FOUND', message);
}

/**
 * The id of a message, from all of it or the first eight or more digits of one of the newest 200.
 *
 * @throws Problem missing MESSAGE_NOT_FOUND, conflict AMBIGUOUS
 */
export async function messageNamed(caller: Caller, place: Place, text: string): Promise<string> {
  const message = `None of the newest ${chatLimits.mostOnPage} messages of this conversation has an id that begins with ${JSON.stringify(text)}.`;
  return await idFrom(
    text,
    async () => (await newestIn(caller, place)).map((one) => candidate(place, one)),
    () => new Problem('missing', 'MESSAGE_NOT_FOUND', message),
  );
}

/**
 * The same for a message that names a thread: one of the newest 200, or the beginning of one of as many threads with the newest activity.
 *
 * @throws Problem missing MESSAGE_NOT_FOUND, conflict AMBIGUOUS
 */
export async function threadNamed(caller: Caller, place: Place, text: string): Promise<string> {
  const message = `No thread of this conversation begins with a message whose id begins with ${JSON.stringify(text)}. To list them, run: conclave chat threads`;
  return await idFrom(
    text,
    async () => {
      const of = { conversationId: place.id, limit: chatLimits.mostOnPage };
      const { items } = await perform(caller, operationsOf[place.type].threads, of);
      const all = [...items.map(({ root }) => root), ...(await newestIn(caller, place))];
      return [...new Map(all.map((one) => [one.id, candidate(place, one)])).values()];
    },
    () => new Problem('missing', 'MESSAGE_NOT_FOUND', message),
  );
}

type Place = Pick<Conversation, 'id' | 'type' | 'mode'>;

async function newestIn(caller: Caller, { id: conversationId, type }: Place): Promise<readonly ChatMessage[]> {
  const newest = { conversationId, limit: chatLimits.mostOnPage };
  return (await perform(caller, operationsOf[type].messages, newest)).items;
}

/** What only members can read is not the node's to say. */
function candidate({ mode }: Place, message: ChatMessage): { readonly id: string; readonly label: string } {
  return { id: message.id, label: mode === 'client' ? `of ${message.createdAt}` : beginningOf(message) };
}
