import { chat } from '../../contract/chat.ts';
import type { ContextType } from '../../contract/chat/conversation.ts';
import type { ChatEpoch } from '../../contract/chat/epochs.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import type { ReplyOf } from '../../contract/operation.ts';
import { fromHex } from '../../crypto/bytes.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import { memberIdOf } from '../../crypto/public-key.ts';
import { Problem } from '../../base/problem.ts';
import { collectPages } from '../pages.ts';
import { perform, type Caller } from '../perform.ts';
import { doubt } from './doubts.ts';

/** A conversation as operations name it. */
export interface Place {
  readonly id: string;
  readonly type: ContextType;
}

const operations = {
  direct: { keys: chat.directKeys, epochs: chat.directEpochs },
  group: { keys: chat.groupKeys, epochs: chat.groupEpochs },
  channel: { keys: chat.channelKeys, epochs: chat.channelEpochs },
} as const;

type KeysReply = ReplyOf<typeof chat.directKeys>;

/** The wraps of the caller from an epoch on, with what the last answer says beside them. */
export async function readKeys(caller: Caller, { id, type }: Place, from: number): Promise<KeysReply> {
  const all: KeysReply['keys'] = [];
  for (;;) {
    const sinceEpoch = all.at(-1)?.epoch ?? from - 1;
    const reply = await perform(caller, operations[type].keys, { conversationId: id, sinceEpoch });
    const { keys } = reply;
    if (keys.some(({ epoch }, at) => epoch <= (keys[at - 1]?.epoch ?? sinceEpoch))) throw outOfOrder(caller);
    all.push(...keys);
    if (!reply.hasMore || keys.length === 0) return { ...reply, keys: all };
  }
}

/** The epochs from one on, with the number of the newest one. */
export async function readEpochs(
  caller: Caller,
  { id, type }: Place,
  from: number,
): Promise<{ readonly newest: number; readonly closed: boolean; readonly epochs: ChatEpoch[] }> {
  const all: ChatEpoch[] = [];
  for (;;) {
    const sinceEpoch = all.at(-1)?.epoch ?? from - 1;
    const page = { conversationId: id, sinceEpoch, limit: chatLimits.epochs };
    const { epochs, epoch: newest, closed, hasMore } = await perform(caller, operations[type].epochs, page);
    if (epochs.some(({ epoch }, at) => epoch <= (epochs[at - 1]?.epoch ?? sinceEpoch))) throw outOfOrder(caller);
    all.push(...epochs);
    if (!hasMore || epochs.length === 0) return { newest, closed, epochs: all };
  }
}

function outOfOrder({ place }: Caller): Problem {
  return new Problem('network', 'BAD_REPLY', `${place} answered keys out of their order.`);
}

/** Somebody in a conversation, as the node says. */
export interface Member {
  readonly memberId: string;
  readonly username: string;
  readonly hasKey: boolean;
  /** 33 bytes, proven to be theirs; undefined if the node does not say it */
  readonly publicKey: Uint8Array | undefined;
}

/** @throws Problem network MEMBER_KEY_FOREIGN */
export async function readMembers(caller: Caller, { id, type }: Place): Promise<Member[]> {
  if (type === 'direct') return [];
  const operation = type === 'group' ? chat.groupMembers : chat.channelMembers;
  const { items } = await collectPages(caller, operation, { conversationId: id }, 'items');
  return items.map(({ memberId, username, hasKey = false, publicKey }) => ({
    memberId,
    username,
    hasKey,
    publicKey: publicKey === undefined ? undefined : provenKey({ memberId, username, publicKey }),
  }));
}

/** The public key of a member whom the caller can reach. @throws Problem network MEMBER_KEY_FOREIGN; missing MEMBER_NOT_FOUND */
export async function readMemberKey(caller: Caller, memberId: string): Promise<Uint8Array> {
  return (await readMember(caller, memberId)).publicKey;
}

/** The same with what the node calls them. */
export async function readMember(
  caller: Caller,
  memberId: string,
): Promise<{ readonly username: string; readonly publicKey: Uint8Array }> {
  const reply = await perform(caller, chat.memberKey, { memberId });
  return { username: reply.username, publicKey: provenKey({ ...reply, memberId }) };
}

/** An id is a hash of the key, so another key shows. */
function provenKey(said: {
  readonly memberId: string;
  readonly username: string;
  readonly publicKey: string;
}): Uint8Array {
  const { memberId, username, publicKey } = said;
  try {
    const key = fromHex(publicKey, 33);
    if (memberIdOf(key) === memberId) return key;
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error;
  }
  const message = `The node showed a public key for ${username || memberId} that is not theirs. Nothing was encrypted to it.`;
  throw doubt('MEMBER_KEY_FOREIGN', message);
}
