import type { ConversationMode, SentEpoch } from '../../../contract/chat/client-mode.ts';
import type { OwnSide, SealedPlace } from './own-side.ts';

interface Beginning {
  readonly mode?: ConversationMode;
  readonly conversationId?: string;
  readonly epoch?: SentEpoch;
}

/**
 * Begins a group or channel; one that only its members can read with an id and a first key that are made here.
 *
 * @param act with what there is of these
 * @param then what the conversation is afterwards
 */
export async function beginning<T>(
  side: OwnSide,
  memberIds: readonly string[],
  mode: string | undefined,
  act: (input: Beginning) => Promise<T>,
  then: (done: T) => Pick<SealedPlace, 'type' | 'title'>,
): Promise<T> {
  if (mode !== 'client') return await act({});
  const { firstEpoch } = await import('../../../client/chat/next-epoch.ts');
  const { conversationId, epoch } = await firstEpoch(side.client, await side.self(), memberIds);
  const done = await act({ mode, conversationId, epoch: epoch.sent });
  const place = { id: conversationId, mode, ...then(done) } as const;
  // Whoever made the key does not ask the node which one it is.
  await side.made(place, epoch.known);
  await side.open(place);
  return done;
}
