import { is } from 'valibot';
import { perform, type Caller } from '../../../client/perform.ts';
import { chat } from '../../../contract/chat.ts';
import type { Channel, FoundChannel } from '../../../contract/chat/channels.ts';
import { channelName, type Conversation, type RoomType } from '../../../contract/chat/conversation.ts';
import { Problem } from '../../../base/problem.ts';
import { counted } from '../../kit/counted.ts';
import { shellWord } from '../../kit/shell-word.ts';
import { ambiguous } from '../../kit/pick.ts';
import { conversationsAmong } from '../own-conversations.ts';

const idOfConversation = /^[0-9a-f]{32}$/i;

/** Whether a word is the id of a conversation. */
export function isConversationId(text: string): boolean {
  return idOfConversation.test(text);
}

/** Whether a word can be the name of a member. */
export function meansMember(text: string): boolean {
  return !text.startsWith('#') && !isConversationId(text);
}

export const roomTypes = ['group', 'channel'] as const satisfies readonly RoomType[];

/**
 * The group or channel of the caller that a person names, with or without `#`, or by its id.
 *
 * @param types where it is looked for
 * @throws Problem missing CONVERSATION_NOT_FOUND, conflict AMBIGUOUS
 */
export async function roomNamed(
  caller: Caller,
  text: string,
  ...types: readonly [RoomType, ...RoomType[]]
): Promise<Conversation> {
  const byId = isConversationId(text) ? await roomById(caller, text.toLowerCase(), types) : undefined;
  const found = byId ?? (await onlyRoomNamed(caller, text, types));
  if (found !== undefined) return found;
  const open = types.includes('channel') ? await channelToJoin(caller, text) : undefined;
  const list = types.includes('group')
    ? 'yours, run: conclave chat list'
    : 'those that you can find, run: conclave chat channel list';
  throw open ?? noConversation(`You are in no ${types.join(' or ')} ${JSON.stringify(bare(text))}. To list ${list}`);
}

/** The one of the caller's groups and channels that has this name. @throws Problem conflict AMBIGUOUS */
export async function onlyRoomNamed(
  caller: Caller,
  text: string,
  types: readonly RoomType[],
): Promise<Conversation | undefined> {
  const name = bare(text);
  const similar = await Promise.all(
    types.map(async (type) => await conversationsAmong(caller, type, ({ title }) => isSimilar(title, name))),
  );
  return theOnly(similar.flat(), text);
}

/** Whether two names differ in case and forms of characters alone. */
export function isSimilar(title: string, name: string): boolean {
  const folded = (text: string) => text.normalize('NFKC').toLowerCase();
  return folded(title) === folded(name);
}

/**
 * The one of this name; without one, that whose name is similar.
 *
 * @param similar those to choose from
 * @throws Problem conflict AMBIGUOUS
 */
export function theOnly<T extends Pick<Conversation, 'id' | 'type' | 'title' | 'memberCount'>>(
  similar: readonly T[],
  text: string,
): T | undefined {
  const same = similar.filter(({ title }) => title.normalize('NFC') === bare(text).normalize('NFC'));
  const found = same.length > 0 ? same : similar;
  if (found.length <= 1) return found[0];
  throw ambiguous(
    text,
    found.map(({ id, type, title, memberCount = 0 }) => ({
      id,
      label: `${type} ${title}, ${counted(memberCount, 'member')}`,
    })),
  );
}

export async function roomById(
  caller: Caller,
  conversationId: string,
  types: readonly RoomType[],
): Promise<Conversation | undefined> {
  for (const type of types) {
    const found = await ifKnown(
      type === 'group'
        ? perform(caller, chat.showGroup, { conversationId })
        : perform(caller, chat.showChannel, { conversationId }).then(asMember),
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What was asked for of a conversation. @returns undefined if the caller is in none of this id */
export async function ifKnown<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Problem && ['CONVERSATION_NOT_FOUND', 'FORBIDDEN'].includes(error.code)) return undefined;
    throw error;
  }
}

/** A channel as the conversation that it is for its members. @returns undefined for others */
export function asMember(channel: Channel): Conversation | undefined {
  // Members are shown all of it.
  return channel.joined ? (channel as Conversation) : undefined;
}

/**
 * The channel that a person names, whether they are in it or can only find it.
 *
 * @throws Problem missing CONVERSATION_NOT_FOUND, in the same words for one that they may not know of; forbidden FORBIDDEN for a private one
 */
export async function channelNamed(caller: Caller, text: string): Promise<Channel> {
  const missing = () =>
    noConversation(
      `There is no channel ${JSON.stringify(bare(text))} that you can find. To list those there are, run: conclave chat channel list`,
    );
  const conversationId = isConversationId(text)
    ? text.toLowerCase()
    : ((await findableChannel(caller, text)) ?? (await onlyRoomNamed(caller, text, ['channel'])))?.id;
  if (conversationId === undefined) throw missing();
  try {
    return await perform(caller, chat.showChannel, { conversationId });
  } catch (error) {
    throw error instanceof Problem && error.code === 'CONVERSATION_NOT_FOUND' ? missing() : error;
  }
}

/** The channel of this name, if it is one that can be found. */
export async function findableChannel(caller: Caller, text: string): Promise<FoundChannel | undefined> {
  const name = bare(text).toLowerCase();
  return is(channelName, name) ? (await perform(caller, chat.listChannels, { name })).items.at(0) : undefined;
}

/** The problem of somebody who is not in a channel of this name, if there is one that they can find. */
export async function channelToJoin(caller: Caller, text: string): Promise<Problem | undefined> {
  const found = await findableChannel(caller, text);
  if (found === undefined || found.joined) return undefined;
  const how =
    found.visibility === 'public'
      ? `To join it, run: conclave chat channel join ${shellWord(found.name)}`
      : 'It is private: its owner and admins can invite you.';
  return noConversation(`You are not in #${found.name}. ${how}`);
}

/** The name in what may begin with `#`. */
export function bare(text: string): string {
  return text.replace(/^#/, '');
}

export function noConversation(message: string): Problem {
  return new Problem('missing', 'CONVERSATION_NOT_FOUND', message);
}
