import { doubt } from '../../../client/chat/doubts.ts';
import type { OpenConversation } from '../../../client/chat/open-conversation.ts';
import type { OpenedMessage } from '../../../client/chat/open-messages.ts';
import type { Said } from '../../../client/chat/sealed-messages.ts';
import type { Envelope } from '../../../contract/chat/client-mode.ts';
import type { Conversation } from '../../../contract/chat/conversation.ts';
import { chat } from '../../../contract/chat.ts';
import type { ChatMessage } from '../../../contract/chat/message.ts';
import { perform } from '../../../client/perform.ts';
import { Problem } from '../../../base/problem.ts';
import { conversationWith } from '../find-conversation.ts';
import { operationsOf } from '../operations.ts';
import { roomOperations } from '../rooms/operations.ts';
import { sentSafely } from '../send-message.ts';
import { withUsableKey } from './changing.ts';
import type { OwnSide, SealedPlace } from './own-side.ts';

/** A message before it is sealed. */
export interface Unsealed extends Said {
  /** what its sender calls it; any text */
  readonly clientId: string | undefined;
  /** tells the node what it answers, which it cannot read, so that it is in the thread of that */
  readonly inThread?: boolean | undefined;
}

/** Seals a message and sends it into a conversation that only its members can read. */
export async function sendSealed(side: OwnSide, place: Conversation, message: Unsealed): Promise<OpenedMessage> {
  const { clientIdFrom } = await import('../../../client/chat/client-ids.ts');
  const { clientId: named, inThread, ...said } = message;
  const clientId = clientIdFrom(place.id, named);
  const answered = inThread === true && said.replyToMessageId !== undefined;
  const sent = await withUsableKey(side, place, async (open) => {
    const beside = { ...attached(said), ...(answered && { replyToMessageId: said.replyToMessageId }) };
    const input = { clientId, ...beside, envelope: await sealedIn(open, clientId, 0, said) };
    return await sentSafely(async () => await performSend(side, open, input));
  });
  return await readOne(side, place, sent);
}

type SealedInput = {
  readonly clientId: string;
  readonly attachments?: string[];
  readonly replyToMessageId?: string | undefined;
  readonly envelope: Envelope;
};

async function performSend(
  { client }: OwnSide,
  { place, self }: OpenConversation,
  input: SealedInput,
): Promise<ChatMessage> {
  const { id: conversationId, type } = place;
  if (type !== 'direct') return await perform(client, roomOperations[type].send, { conversationId, ...input });
  const recipientId = place.participants?.find((one) => one !== self.memberId) ?? self.memberId;
  return await perform(client, chat.sendDirect, { recipientId, ...input });
}

/** Begins a conversation of two that only these can read, with its first message. @param named how somebody named the member */
export async function beginSealed(
  side: OwnSide,
  recipientId: string,
  message: Unsealed,
  named: string,
): Promise<OpenedMessage> {
  const { client } = side;
  const self = await side.self();
  const { firstEpoch } = await import('../../../client/chat/next-epoch.ts');
  const { clientIdFrom } = await import('../../../client/chat/client-ids.ts');
  const { sealSaid } = await import('../../../client/chat/sealed-messages.ts');
  const { conversationId, room, epoch } = await firstEpoch(client, self, [recipientId]);
  const { clientId: wanted, inThread: _, ...said } = message;
  const clientId = clientIdFrom(conversationId, wanted);
  const place = { epoch: 1, senderId: self.memberId, messageId: clientId, revision: 0 };
  const envelope = { ...sealSaid(self.keys, epoch.key, room, place, said), mentions: [] };
  const begin = { recipientId, mode: 'client', conversationId, epoch: epoch.sent, clientId, envelope } as const;
  let sent: ChatMessage;
  try {
    sent = await sentSafely(async () => await perform(client, chat.sendDirect, { ...begin, ...attached(said) }));
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'EPOCH_CHANGED')) throw error;
    // The other one, or another machine, began it meanwhile.
    return await sendSealed(side, await conversationWith(client, recipientId, named), message);
  }
  const participants = [self.memberId, recipientId];
  await side.made({ id: conversationId, type: 'direct', mode: 'client', title: named, participants }, epoch.known);
  // Whoever said that another one is to begin gave the earlier one up.
  const { forgetPairs } = await import('../../../client/chat/known-conversations.ts');
  await forgetPairs(await side.memory(), recipientId, conversationId);
  return await readOne(side, await conversationWith(client, recipientId, named), sent);
}

/** Seals another text for a message of one's own. Its files and what it answers stay. */
export async function editSealed(
  side: OwnSide,
  place: SealedPlace,
  messageId: string,
  content: string,
): Promise<OpenedMessage> {
  const { client } = side;
  const one = { conversationId: place.id, messageId };
  const opener = await side.opener(place);
  const changed = await withUsableKey(side, place, async (open) => {
    const before = await perform(client, operationsOf[place.type].message, one);
    if (before.senderId !== open.self.memberId)
      throw new Problem('forbidden', 'FORBIDDEN', 'Only the sender can change a message.');
    const said = { ...(await opener.said(before)), content };
    const envelope = await sealedIn(open, before.clientId ?? '', before.revision + 1, said);
    return await sentSafely(async () => await perform(client, operationsOf[place.type].edit, { ...one, envelope }));
  });
  return await readOne(side, place, changed);
}

async function sealedIn(
  { self, room, keys, unopened, current, members }: OpenConversation,
  clientId: string,
  revision: number,
  said: Said,
): Promise<Envelope> {
  const { sealSaid } = await import('../../../client/chat/sealed-messages.ts');
  const { mentionsIn } = await import('../../../client/chat/mentions.ts');
  const { withoutKey } = await import('../../../client/chat/next-epoch.ts');
  const key = current && keys.get(current.epoch);
  const why = current && unopened.get(current.epoch);
  if (why !== undefined) throw doubt('CONVERSATION_KEY_FOREIGN', why);
  if (current === undefined || key === undefined) throw withoutKey('this conversation');
  const place = { epoch: current.epoch, senderId: self.memberId, messageId: clientId, revision };
  const sealed = sealSaid(self.keys, key, room, place, said);
  return { ...sealed, mentions: mentionsIn(said.content, members, self.memberId) };
}

function attached({ attachments }: Said): Pick<SealedInput, 'attachments'> {
  return attachments === undefined ? {} : { attachments: attachments.map(({ id }) => id) };
}

async function readOne(side: OwnSide, place: SealedPlace, message: ChatMessage): Promise<OpenedMessage> {
  const [opened] = await side.read(place, [message]);
  return opened ?? message;
}
