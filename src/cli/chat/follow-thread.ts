import { perform } from '../../client/perform.ts';
import { threadNamed } from './find-conversation.ts';
import { operationsOf } from './operations.ts';
import { checkedConversation } from './sealed/checked-conversation.ts';
import type { OwnSide } from './sealed/own-side.ts';

/** Chooses whether the caller follows a thread. @param named how they named the conversation, and a message of the thread */
export async function chooseFollowing(
  side: OwnSide,
  named: { readonly with: string; readonly message: string },
  following: boolean,
) {
  const place = await checkedConversation(side, named.with);
  const messageId = await threadNamed(side.client, place, named.message);
  const input = { conversationId: place.id, messageId, following };
  return await perform(side.client, operationsOf[place.type].followThread, input);
}
