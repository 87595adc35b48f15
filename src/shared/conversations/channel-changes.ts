import type { Context } from '../../service/context.ts';
import { chatEvents } from '../../contract/chat/events.ts';
import type { ChannelVisibility } from '../../contract/chat/conversation.ts';
import { publish } from '../../platform/realtime/publish.ts';
import { rotateOnDemand } from '../group-keys/on-demand.ts';
import { recordDeed } from '../groups/log.ts';
import { holdRoom } from '../groups/room.ts';
import { requireFreeName, requireHistoryOfNode, withOwnName } from './channels.ts';
import { requireSeat, roomOf, topicOfConversation, type Seat } from './conversation.ts';
import { aboutConversation } from './events.ts';
import { channelNameKey } from './find-channel.ts';
import { tellRenamed, tellRotation } from './inbox.ts';
import { keptMs } from './retention.ts';
import { requirePermission } from './voice.ts';

interface ChannelChange {
  readonly name?: string | undefined;
  readonly topic?: string | undefined;
  readonly visibility?: ChannelVisibility | undefined;
  /** switched on, it begins with what is said from then on */
  readonly historyVisible?: boolean | undefined;
  readonly slowModeSeconds?: number | undefined;
  readonly retentionMs?: number | null | undefined;
}

export interface ChannelFacts {
  readonly id: string;
  readonly name: string;
  readonly topic: string;
  readonly visibility: ChannelVisibility;
  readonly historyVisibleToNewMembers: boolean;
  readonly slowModeSeconds: number;
  readonly retentionMs: number | null;
}

/**
 * Changes what a channel is. Fields that are missing stay.
 * @returns what it is then
 * @throws Problem missing CONVERSATION_NOT_FOUND; forbidden FORBIDDEN; conflict CHANNEL_NAME_TAKEN
 */
export async function updateChannel(
  ctx: Context,
  memberId: string,
  id: string,
  change: ChannelChange,
): Promise<ChannelFacts> {
  return await withOwnName(ctx, async (tx) => {
    const seat = await requireSeat(tx, { memberId }, ['channel'], id);
    requirePermission(seat, 'MANAGE_CHANNEL');
    // Whoever joins at the same time does so before it or after it.
    await holdRoom(tx, roomOf(id));
    const before = factsOf(seat);
    const after: ChannelFacts = {
      ...before,
      name: change.name ?? before.name,
      topic: change.topic ?? before.topic,
      visibility: change.visibility ?? before.visibility,
      historyVisibleToNewMembers: change.historyVisible ?? before.historyVisibleToNewMembers,
      slowModeSeconds: change.slowModeSeconds ?? before.slowModeSeconds,
      retentionMs: change.retentionMs === undefined ? before.retentionMs : change.retentionMs,
    };
    const shown = { ...after, retentionMs: keptMs(tx, { ...seat, retention_ms: after.retentionMs }) };
    const changed = (Object.keys(after) as (keyof ChannelFacts)[]).filter((key) => after[key] !== before[key]);
    if (changed.length === 0) return shown;
    if (after.historyVisibleToNewMembers) requireHistoryOfNode(seat);
    const nameKey = channelNameKey(after.name);
    if (nameKey !== seat.name_key) await requireFreeName(tx, nameKey);
    const history = changed.includes('historyVisibleToNewMembers')
      ? await switchHistory(tx, seat, after.historyVisibleToNewMembers)
      : {};
    const { name, topic, visibility, slowModeSeconds, retentionMs } = after;
    await tx.db
      .updateTable('conversations')
      .set({
        name,
        name_key: nameKey,
        topic,
        visibility,
        slow_seconds: slowModeSeconds,
        retention_ms: retentionMs,
        ...history,
      })
      .where('id', '=', id)
      .execute();
    await recordDeed(tx, roomOf(id), { by: memberId, action: 'settings', reason: changed.join(', ') });
    const { id: _, ...facts } = shown;
    const data = { ...aboutConversation(seat), ...facts, updatedBy: memberId };
    await publish(tx, topicOfConversation(id), chatEvents.channelUpdated, data);
    if (name !== before.name) await tellRenamed(tx, seat, name);
    return shown;
  });
}

function factsOf(seat: Seat): ChannelFacts {
  return {
    id: seat.id,
    name: seat.name ?? '',
    topic: seat.topic ?? '',
    visibility: seat.visibility as ChannelVisibility,
    historyVisibleToNewMembers: seat.history_visible === 1,
    slowModeSeconds: seat.slow_seconds,
    retentionMs: seat.retention_ms,
  };
}

/** What is said from now on has another key, which those who join later are given or not. */
async function switchHistory(tx: Context, seat: Seat, historyVisible: boolean) {
  const rotation = await rotateOnDemand(tx, roomOf(seat.id), { historyVisible, reason: 'history_changed' });
  await tellRotation(tx, seat, rotation);
  return { history_visible: historyVisible ? 1 : 0, open_from: seat.last_seq };
}
