import { perform, type Caller } from '../../../client/perform.ts';
import { social } from '../../../contract/social.ts';
import { Problem } from '../../../base/problem.ts';
import { isMemberId, memberIfKnown } from '../../chat/members.ts';
import {
  bare,
  ifKnown,
  isConversationId,
  isSimilar,
  meansMember,
  noConversation,
  theOnly,
} from '../../chat/rooms/find-room.ts';
import { myName } from '../my-name.ts';
import { asListed, socialConversationsAmong, waitingRequests, type ListedSocial } from './own-conversations.ts';

/** What a word stands for: a conversation of the caller, or a member with whom they have none. */
type Named = { readonly conversation: ListedSocial } | { readonly memberId: string };

/**
 * The conversation that a person names: by the other member, by the name of a group, or by its id. Usernames come before names of groups,
 * which `#` makes unmistakable.
 *
 * @throws Problem missing CONVERSATION_NOT_FOUND, MEMBER_NOT_FOUND; conflict AMBIGUOUS; invalid USAGE for the caller
 */
export async function socialConversationNamed(caller: Caller, text: string): Promise<ListedSocial> {
  const named = await lookUp(caller, text);
  if ('conversation' in named) return named.conversation;
  if (named.memberId === (await myName(caller)))
    throw new Problem('invalid', 'USAGE', 'You have no conversation with yourself.');
  throw noConversation(
    `You have no conversation with ${text}. To begin one, run: conclave social message send ${text}`,
  );
}

/** As `socialConversationNamed`, of a group. @throws Problem missing CONVERSATION_NOT_FOUND; conflict AMBIGUOUS */
export async function socialGroupNamed(caller: Caller, text: string): Promise<ListedSocial> {
  const found = await socialConversationIfAny(caller, text, 'group');
  if (found?.type === 'group') return found;
  throw noConversation(
    `You are in no group ${JSON.stringify(bare(text))}. To list your conversations, run: conclave social messages`,
  );
}

/** What a person names, for who writes to them. @throws Problem missing CONVERSATION_NOT_FOUND, MEMBER_NOT_FOUND; conflict AMBIGUOUS */
export async function lookUp(caller: Caller, text: string): Promise<Named> {
  if (meansMember(text)) {
    const conversation = (await socialConversationIfAny(caller, text, 'direct')) ?? (await requestOf(caller, text));
    if (conversation !== undefined) return { conversation };
    const memberId = await memberIfKnown(caller, text);
    if (memberId !== undefined) return { memberId };
  }
  const group = await socialConversationIfAny(caller, text, 'group');
  if (group !== undefined) return { conversation: group };
  const what = JSON.stringify(text);
  throw meansMember(text)
    ? new Problem(
        'missing',
        'MEMBER_NOT_FOUND',
        `There is no member ${what} on this node whom you can reach, and you are in no group of this name.`,
      )
    : noConversation(`You are in no conversation ${what}. To list yours, run: conclave social messages`);
}

/** The conversation of the caller that has this id, is with this member, or is a group of this name. @throws Problem conflict AMBIGUOUS */
export async function socialConversationIfAny(
  caller: Caller,
  text: string,
  ...types: readonly ListedSocial['type'][]
): Promise<ListedSocial | undefined> {
  if (isConversationId(text)) return await conversationById(caller, text.toLowerCase());
  const memberId = isMemberId(text) ? text.toLowerCase() : undefined;
  // The caller is in all of them.
  if (memberId !== undefined && memberId === (await myName(caller))) return undefined;
  const isNamed = ({ type, title, conversation }: ListedSocial) =>
    types.includes(type) &&
    (isSimilar(title, bare(text)) ||
      (type === 'direct' && memberId !== undefined && conversation.participantIds.includes(memberId)));
  return theOnly(await socialConversationsAmong(caller, isNamed), text);
}

async function conversationById(caller: Caller, id: string): Promise<ListedSocial | undefined> {
  const found = await ifKnown(perform(caller, social.showConversation, { id }));
  return found === undefined ? undefined : asListed(found);
}

/** The conversation that somebody asks for, which is in no list of conversations. */
async function requestOf(caller: Caller, text: string): Promise<ListedSocial | undefined> {
  const name = text.toLowerCase();
  const requests = await waitingRequests(caller);
  const found = requests.find(({ senderId, senderUsername }) =>
    [senderId, senderUsername.toLowerCase()].includes(name),
  );
  return found === undefined ? undefined : await conversationById(caller, found.conversationId);
}

/** Whether the other member asks for the conversation, and waits. */
export async function isAskedFor(caller: Caller, { id, waits }: ListedSocial): Promise<boolean> {
  return waits && (await waitingRequests(caller)).some(({ conversationId }) => conversationId === id);
}
