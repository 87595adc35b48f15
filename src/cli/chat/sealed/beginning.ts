import type { ConversationMode, SentEpoch } from '../../../contract/chat/client-mode.ts';
import type { OwnSide } from './own-side.ts';

interface Beginning {
  readonly mode?: ConversationMode;
  readonly conversationId?: string;
  readonly epoch?: SentEpoch;
}

/** What a group or channel begins with that only its members can read: its id and its first key, made here. */
export async function beginningFor(
  side: OwnSide,
  memberIds: readonly string[],
  mode: string | undefined,
): Promise<Beginning> {
  if (mode !== 'client') return {};
  const { firstEpoch } = await import('../../../client/chat/next-epoch.ts');
  const { conversationId, epoch } = await firstEpoch(side.client, await side.self(), memberIds);
  return { mode, conversationId, epoch: epoch.sent };
}
