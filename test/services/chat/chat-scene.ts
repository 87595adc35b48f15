import type { JsonOperation, RawInputOf, ReplyOf } from '../../../src/contract/operation.ts';
import { channels } from '../../../src/contract/chat/channels.ts';
import type { ChannelVisibility } from '../../../src/contract/chat/conversation.ts';
import { direct } from '../../../src/contract/chat/direct.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { members } from '../../../src/contract/chat/members.ts';
import type { ChatMessage } from '../../../src/contract/chat/message.ts';
import type { House } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';

type Teller = Pick<HouseMember, 'token'>;

/** The reply of an operation that has to succeed. */
export async function done<O extends JsonOperation>(
  house: House,
  operation: O,
  { token }: Teller,
  input: RawInputOf<O>,
): Promise<ReplyOf<O>> {
  const { status, body } = await house.perform(operation, input, token);
  if (status !== operation.status) throw new Error(`${operation.id}: ${status} ${JSON.stringify(body)}`);
  return body.data as ReplyOf<O>;
}

/** What a refused operation answers: its status and the code of its error. */
export async function refused<O extends JsonOperation>(
  house: House,
  operation: O,
  { token }: Teller,
  input: RawInputOf<O>,
): Promise<string> {
  const { status, body } = await house.perform(operation, input, token);
  return `${status} ${body.error?.reason}`;
}

export async function sendDirect(
  house: House,
  from: HouseMember,
  to: HouseMember,
  content: string,
): Promise<ChatMessage> {
  return await done(house, direct.sendDirect, from, { recipientId: to.memberId, content });
}

/** @returns the id of a group that the first of them owns */
export async function groupOf(house: House, [owner, ...others]: readonly HouseMember[]): Promise<string> {
  if (owner === undefined) throw new Error('a group has an owner');
  const input = { name: 'Garden', memberIds: others.map(({ memberId }) => memberId) };
  return (await done(house, groups.createGroup, owner, input)).id;
}

/** @returns the id of a channel that the first of them owns */
export async function channelOf(
  house: House,
  [owner, ...others]: readonly HouseMember[],
  { name = 'garden', visibility = 'public' }: { readonly name?: string; readonly visibility?: ChannelVisibility } = {},
): Promise<string> {
  if (owner === undefined) throw new Error('a channel has an owner');
  const { id: conversationId } = await done(house, channels.createChannel, owner, { name, visibility });
  const memberIds = others.map(({ memberId }) => memberId);
  if (memberIds.length > 0) await done(house, members.channelAddMembers, owner, { conversationId, memberIds });
  return conversationId;
}

/** Says something in a group, a millisecond after what was before. */
export function speaking(house: House, conversationId: string) {
  return async (who: HouseMember, content: string, replyToMessageId?: string): Promise<ChatMessage> => {
    house.clock.advance(1);
    return await done(house, groups.sendToGroup, who, { conversationId, content, replyToMessageId });
  };
}
