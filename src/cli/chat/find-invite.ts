import { perform, type Caller } from '../../client/perform.ts';
import { chat } from '../../contract/chat.ts';
import type { Conversation } from '../../contract/chat/conversation.ts';
import { Problem } from '../../base/problem.ts';
import { idFrom } from '../kit/id-part.ts';
import { shellWord } from '../kit/shell-word.ts';

/** The id of an invite to a channel that is in force, from all of it or its first eight or more digits. @throws Problem missing INVITE_NOT_FOUND, conflict AMBIGUOUS */
export async function inviteNamed(
  caller: Caller,
  { id: conversationId, title }: Pick<Conversation, 'id' | 'title'>,
  text: string,
): Promise<string> {
  const { items } = await perform(caller, chat.invites, { conversationId });
  const message = `No invite to #${title} that is in force has an id that begins with ${JSON.stringify(text)}. To list them, run: conclave chat channel invites ${shellWord(title)}`;
  const missing = () => new Problem('missing', 'INVITE_NOT_FOUND', message);
  const candidates = items.map(({ inviteId: id, createdAt }) => ({ id, label: createdAt }));
  const found = await idFrom(text, async () => candidates, missing);
  if (candidates.some(({ id }) => id === found)) return found;
  throw missing();
}
