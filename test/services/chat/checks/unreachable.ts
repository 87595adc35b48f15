import { direct } from '../../../../src/contract/chat/direct.ts';
import { epochs } from '../../../../src/contract/chat/epochs.ts';
import { groups } from '../../../../src/contract/chat/groups.ts';
import { members } from '../../../../src/contract/chat/members.ts';
import { presence } from '../../../../src/contract/chat/presence.ts';
import { social } from '../../../../src/contract/social.ts';
import type { ApiAnswer } from '../../../support/house.ts';
import { groupOf } from '../chat-scene.ts';
import type { ChatScene } from '../scene.ts';

/** How somebody cannot be reached: nobody may see a difference. */
export const kinds = ['unknown', 'blocking', 'suspended'] as const;
export type Kind = (typeof kinds)[number];

/** Ann, who asks about members whom she cannot reach and about one whom she can, in everything that would tell of them. */
export async function openUnreachable(scene: ChatScene) {
  const { house, ann, bob } = scene;
  const blocking = await house.register();
  const suspended = await house.register();
  const reachable = await house.register();
  const conversationId = await groupOf(house, [ann, bob]);
  await scene.block(blocking, ann);
  await scene.suspend(suspended);
  const ids: Readonly<Record<Kind, string>> = {
    unknown: '0'.repeat(24),
    blocking: blocking.memberId,
    suspended: suspended.memberId,
  };
  const { token } = ann;
  const asked: Readonly<Record<string, (memberId: string) => Promise<ApiAnswer>>> = {
    'a message': async (recipientId) => await house.perform(direct.sendDirect, { recipientId, content: 'Hi' }, token),
    'a place in a group': async (id) =>
      await house.perform(members.groupAddMembers, { conversationId, memberIds: [id] }, token),
    'a new group': async (id) => await house.perform(groups.createGroup, { name: 'New', memberIds: [id] }, token),
    'whether they are there': async (id) => await house.perform(presence.showPresence, { memberIds: [id] }, token),
    'their key': async (memberId) => await house.perform(epochs.memberKey, { memberId }, token),
    'their profile': async (id) => await house.perform(social.showProfile, { id }, token),
    'a request': async (otherUserId) =>
      await house.perform(social.beginConversation, { otherUserId, content: 'Hi' }, token),
  };
  return { ids, reachable: reachable.memberId, asked };
}

/** What an outsider can see of an answer, without what is random and without the id that was asked for. */
export function visible({ status, body, headers }: ApiAnswer, memberId: string): string {
  const said = [...headers].filter(([name]) => !/^(x-request-id|date)$/.test(name));
  return JSON.stringify([status, body, said]).replaceAll(memberId, 'id');
}
