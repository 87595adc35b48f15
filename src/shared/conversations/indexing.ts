import type { Context } from '../../service/context.ts';
import { searchedKinds, type SearchedKind } from '../../contract/chat/limits.ts';
import { indexed, type SearchSpace } from '../../platform/store/search/document.ts';
import { putDocument, removeDocument, removeSpace } from '../../platform/store/search/documents.ts';
import type { ConversationMessageRow, ConversationRow } from '../../platform/store/tables/conversations.ts';
import type { RoomKeys } from '../group-keys/keys.ts';
import { noConversation } from './conversation.ts';

/** 32 bytes, as search spaces want */
const KEY_BYTES = 32;
const purpose = 'search';

/** What a conversation has of its searches: the store has words as their HMAC alone, under a key that the keys of the conversation open. */
export type Searched = Pick<ConversationRow, 'id' | 'search_epoch' | 'search_key'>;

function searchSpaceName(conversationId: string): string {
  return `conversation:${conversationId}`;
}

/** The space of a conversation in which something was said. The caller overwrites its key. @param keys that of `search_epoch` */
export function openSpace({ id, search_epoch: epoch, search_key: sealed }: Searched, keys: RoomKeys): SearchSpace {
  if (epoch === null || sealed === null) throw noConversation();
  return { name: searchSpaceName(id), key: keys.openSecret({ epoch, purpose }, sealed) };
}

/** The same; with the first message the space gets its key. @param keys of `search_epoch` and of the given epoch */
export async function spaceFor(
  tx: Context,
  conversation: Searched,
  keys: RoomKeys,
  epoch: number,
): Promise<SearchSpace> {
  if (conversation.search_key !== null) return openSpace(conversation, keys);
  const key = tx.random(KEY_BYTES);
  const sealed = keys.sealSecret({ epoch, purpose }, key);
  await tx.db
    .updateTable('conversations')
    .set({ search_epoch: epoch, search_key: sealed })
    .where('id', '=', conversation.id)
    .execute();
  return { name: searchSpaceName(conversation.id), key };
}

/** Seals the key of the space under a later key of the conversation. @param keys of `search_epoch` and of the given epoch */
export async function moveSpaceKey(
  tx: Pick<Context, 'db'>,
  conversation: Searched,
  keys: RoomKeys,
  epoch: number,
): Promise<void> {
  const { key } = openSpace(conversation, keys);
  if (key === undefined) throw new Error('the words of a conversation have a key');
  const sealed = keys.sealSecret({ epoch, purpose }, key);
  key.fill(0);
  await tx.db
    .updateTable('conversations')
    .set({ search_epoch: epoch, search_key: sealed })
    .where('id', '=', conversation.id)
    .execute();
}

/** What messages are searched by beside their words. No text of a query is taken for one of these. */
export const messageTags = {
  from: (memberId: string) => `from:${memberId}`,
  has: (kind: SearchedKind) => `has:${kind}`,
} as const;

const link = /\bhttps?:\/\/[^\s]/i;
const holds: Readonly<Record<SearchedKind, (said: Indexed) => boolean>> = {
  link: ({ content }) => link.test(content),
  file: ({ attachments = [] }) => attachments.length > 0,
};

/** What a message is found by. */
interface Indexed {
  readonly content: string;
  readonly attachments?: readonly unknown[];
}

type Message = Pick<ConversationMessageRow, 'id' | 'sender_id' | 'created_at'>;

/** Puts a message into the index, or replaces what the index has of it, in the transaction that writes it. It overwrites the key. */
export async function indexMessage(tx: Context, space: SearchSpace, message: Message, said: Indexed): Promise<void> {
  const kinds = searchedKinds.filter((kind) => holds[kind](said));
  const tags = [messageTags.from(message.sender_id), ...kinds.map(messageTags.has)];
  const document = indexed(space, { id: message.id, at: message.created_at, text: said.content, tags });
  space.key?.fill(0);
  await putDocument(tx.db, document);
}

export async function unindexMessage({ db }: Pick<Context, 'db'>, conversationId: string, id: string): Promise<void> {
  await removeDocument(db, searchSpaceName(conversationId), id);
}

/** Removes some of what the index has of a deleted conversation. @returns whether something is left */
export async function unindexSome({ db }: Pick<Context, 'db'>, conversationId: string): Promise<boolean> {
  return await removeSpace(db, searchSpaceName(conversationId));
}
