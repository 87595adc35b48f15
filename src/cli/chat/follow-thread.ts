import { perform, type Caller } from '../../client/perform.ts';
import { conversationNamed, threadNamed } from './find-conversation.ts';
import { operationsOf } from './operations.ts';

/** Chooses whether the caller follows a thread. @param named how they named the conversation, and a message of the thread */
export async function chooseFollowing(
  caller: Caller,
  named: { readonly with: string; readonly message: string },
  following: boolean,
) {
  const place = await conversationNamed(caller, named.with);
  const messageId = await threadNamed(caller, place, named.message);
  const input = { conversationId: place.id, messageId, following };
  return await perform(caller, operationsOf[place.type].followThread, input);
}
