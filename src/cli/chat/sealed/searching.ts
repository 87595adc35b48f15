import type { Client } from '../../../client/client.ts';
import { Problem } from '../../../base/problem.ts';
import { conversationNamed } from '../find-conversation.ts';
import { nameOf } from '../conversation-table.ts';
import { wordOf } from './notes.ts';
import { memoryOf } from './own-side.ts';

/** The id of a conversation that is searched. @throws Problem invalid CLIENT_ENCRYPTED for one that the node cannot read */
export async function searchableNamed(client: Client, text: string): Promise<string> {
  const conversation = await conversationNamed(client, text);
  if (conversation.mode === 'server') return conversation.id;
  const message = `Only members can read ${nameOf(conversation)}, so the node cannot search it. To read it, run: conclave chat read ${wordOf(conversation)} --all`;
  throw new Problem('invalid', 'CLIENT_ENCRYPTED', message);
}

/** Says that conversations of the caller were left out, if this machine knows any that the node cannot read. */
export async function noteUnsearched(client: Client, say: (text: string) => void): Promise<void> {
  const { listKnown } = await import('../../../client/chat/known-conversations.ts');
  if ((await listKnown(await memoryOf(client))).length > 0)
    say('Conversations that only their members can read are not searched: the node cannot read them.');
}
