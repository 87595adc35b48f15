import type { Client } from '../../../client/client.ts';
import { Problem } from '../../../base/problem.ts';
import { nameOf } from '../conversation-table.ts';
import { checkedConversation } from './checked-conversation.ts';
import { wordOf } from './notes.ts';
import { memoryOf, type OwnSide } from './own-side.ts';

/** The id of a conversation that is searched. @throws Problem invalid CLIENT_ENCRYPTED for one that the node cannot read */
export async function searchableNamed(side: OwnSide, text: string): Promise<string> {
  const conversation = await checkedConversation(side, text);
  if (!(await side.isSealed(conversation))) return conversation.id;
  const message = `Only members can read ${nameOf(conversation)}, so the node cannot search it. To read it, run: conclave chat read ${wordOf(conversation)} --all`;
  throw new Problem('invalid', 'CLIENT_ENCRYPTED', message);
}

/** Hits without those that a node makes up, in conversations that it cannot read. */
export async function readableHits<T extends { readonly conversationId: string }>(
  client: Client,
  hits: readonly T[],
): Promise<T[]> {
  const ids = await knownIds(client);
  return hits.filter(({ conversationId }) => !ids.has(conversationId));
}

/** Conversations without texts that a node makes up for those that it cannot read. */
export async function withoutPreviews<
  T extends { readonly id: string; readonly mode?: string; readonly lastMessagePreview: string | null },
>(client: Client, all: readonly T[]): Promise<T[]> {
  const ids = await knownIds(client);
  return all.map((one) => (one.mode === 'client' || ids.has(one.id) ? { ...one, lastMessagePreview: null } : one));
}

async function knownIds(client: Client): Promise<Set<string>> {
  const { listKnown } = await import('../../../client/chat/known-conversations.ts');
  return new Set((await listKnown(await memoryOf(client))).map(({ conversationId }) => conversationId));
}

/** Says that conversations of the caller were left out, if this machine knows any that the node cannot read. */
export async function noteUnsearched(client: Client, say: (text: string) => void): Promise<void> {
  if ((await knownIds(client)).size > 0)
    say('Conversations that only their members can read are not searched: the node cannot read them.');
}
