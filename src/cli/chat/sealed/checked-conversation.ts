import { doubt } from '../../../client/chat/doubts.ts';
import type { KnownConversation } from '../../../client/chat/known-conversations.ts';
import type { Client } from '../../../client/client.ts';
import type { Channel } from '../../../contract/chat/channels.ts';
import type { ContextType, Conversation, RoomType } from '../../../contract/chat/conversation.ts';
import type { Problem } from '../../../base/problem.ts';
import { shellWord } from '../../kit/shell-word.ts';
import { conversationNamed } from '../find-conversation.ts';
import { isMemberId } from '../members.ts';
import { asMember, bare, channelNamed, isConversationId, isSimilar, roomNamed } from '../rooms/find-room.ts';
import { isDoubt } from './changing.ts';
import { memoryOf, type OwnSide } from './own-side.ts';

/** What a name led to, as the node says. */
interface Named {
  readonly type: ContextType;
  readonly title: string;
  /** undefined: a conversation of two that begins */
  readonly id: string | undefined;
  /** the other member, of a conversation of two */
  readonly memberId: string | undefined;
}

/**
 * `conversationNamed`, compared with what this machine remembers under that name.
 * @throws Problem as `conversationNamed` does; network CONVERSATION_MEMBERS_FOREIGN for a name that was that of another conversation, or member, among those that only their members can read
 */
export async function checkedConversation(side: OwnSide, text: string): Promise<Conversation> {
  const found = await conversationNamed(side.client, text);
  await assertSameName(side, text, await namedBy(side, found));
  return found;
}

/** `roomNamed`, compared in the same way. @throws Problem as `roomNamed` and `checkedConversation` do */
export async function checkedRoom(
  client: Client,
  text: string,
  ...types: readonly [RoomType, ...RoomType[]]
): Promise<Conversation> {
  const found = await roomNamed(client, text, ...types);
  await assertKnown(client, text, found);
  return found;
}

/** `channelNamed`. Of a channel that the caller is not in, this machine remembers nothing that it could be taken for. */
export async function checkedChannel(client: Client, text: string): Promise<Channel> {
  const found = await channelNamed(client, text);
  const own = asMember(found);
  if (own !== undefined) await assertKnown(client, text, own);
  return found;
}

async function assertKnown(client: Client, text: string, found: Conversation): Promise<void> {
  const side = { memory: async () => await memoryOf(client) };
  await assertSameName(side, text, await namedBy(side, found));
}

type Remembering = Pick<OwnSide, 'memory'>;

export async function namedBy(side: Remembering, { id, type, title, participants = [] }: Conversation): Promise<Named> {
  const { memberId: own } = await side.memory();
  return { id, type, title, memberId: type === 'direct' ? participants.find((one) => one !== own) : undefined };
}

/**
 * Names come from the node, which must not pass off another conversation, or another member, as one that it cannot read. Ids are not names.
 * @throws Problem network CONVERSATION_MEMBERS_FOREIGN
 */
export async function assertSameName(side: Remembering, text: string, named: Named): Promise<void> {
  const [other] = await othersNamed(side, text, named);
  if (other === undefined) return;
  const what = other.with === undefined ? `the conversation ${other.conversationId}` : `the member ${other.with}`;
  const now = named.type === 'direct' ? `the member ${named.memberId}` : `the conversation ${named.id}`;
  const message = `This machine knows ${bare(text)} as ${what}, and the node says that it is ${now}. If that is right, accept it with: conclave chat verify ${shellWord(text)} --accept. To name one of them without doubt, use its id.`;
  throw doubt('CONVERSATION_MEMBERS_FOREIGN', message);
}

/** What this machine remembers under a name, beside what it leads to. */
async function othersNamed(side: Remembering, text: string, named: Named): Promise<KnownConversation[]> {
  if (isConversationId(text) || isMemberId(text)) return [];
  const { listKnown } = await import('../../../client/chat/known-conversations.ts');
  const known = (await listKnown(await side.memory())).filter(({ title }) => title !== undefined);
  const isNamed = (title: string) => title === bare(text).normalize('NFC');
  return known.filter(({ conversationId, title = '', with: memberId }) => {
    if (conversationId === named.id || (memberId !== undefined && memberId === named.memberId)) return false;
    // With # it is no member.
    if (memberId !== undefined && text.startsWith('#')) return false;
    return isNamed(named.title.normalize('NFC')) ? isNamed(title.normalize('NFC')) : isSimilar(title, bare(text));
  });
}

/** Gives a name to what the node says that it is. @returns whether it was that of another one */
export async function acceptName(side: Remembering, text: string, named: Named): Promise<boolean> {
  const { remember, withoutTitle } = await import('../../../client/chat/known-conversations.ts');
  const others = await othersNamed(side, text, named);
  for (const { conversationId } of others)
    await remember(await side.memory(), conversationId, (known) => known && withoutTitle(known));
  return others.length > 0;
}

/** The problem of a conversation that is not what this machine remembers, if it is that. */
export async function doubtOf(check: () => Promise<unknown>): Promise<Problem | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (isDoubt(error)) return error;
    throw error;
  }
}
