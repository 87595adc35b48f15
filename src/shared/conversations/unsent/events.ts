import type { Context } from '../../../service/context.ts';
import { chatEvents } from '../../../contract/chat/events.ts';
import type { DataOf } from '../../../contract/event.ts';
import { publish, publishAll, said } from '../../../platform/realtime/publish.ts';
import type { ConversationScheduledRow } from '../../../platform/store/tables/conversation-drafts.ts';
import { topicOfInbox } from '../conversation.ts';
import { momentOf } from '../dto.ts';

const { draftChanged, scheduledChanged } = chatEvents;

/** @param updatedAt in milliseconds since 1970; null: it is gone */
export async function tellDraft(
  tx: Context,
  conversationId: string,
  memberId: string,
  updatedAt: number | null,
): Promise<void> {
  await publish(tx, topicOfInbox(memberId), draftChanged, { conversationId, updatedAt: momentOf(updatedAt) });
}

interface Became {
  readonly status: DataOf<typeof scheduledChanged>['status'];
  /** code of an error */
  readonly reason?: string;
}

type Told = Pick<ConversationScheduledRow, 'id' | 'conversation_id' | 'send_at'>;

/** Tells the devices of a member what became of scheduled messages of theirs. */
export async function tellScheduled(
  tx: Context,
  memberId: string,
  rows: readonly Told[],
  { status, reason }: Became,
): Promise<void> {
  const all = rows.map((row) =>
    said(scheduledChanged, {
      conversationId: row.conversation_id,
      scheduledId: row.id,
      status,
      sendAt: new Date(row.send_at).toISOString(),
      reason: reason ?? null,
    }),
  );
  await publishAll(tx, topicOfInbox(memberId), all);
}
