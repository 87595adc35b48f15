import type { Context } from '../../service/context.ts';
import type { ConversationMessageRow, ConversationRow } from '../../platform/store/tables/conversations.ts';

const DAY_MS = 86_400_000;

/** What decides how long messages are kept. */
export type Keeping = Pick<Context, 'clock' | 'config'>;
export type Kept = Pick<ConversationRow, 'retention_ms'>;

/** How long a conversation keeps its messages: what its members chose or the node keeps, if that is shorter; null: as long as itself. */
export function keptMs({ config }: Pick<Context, 'config'>, conversation: Kept): number | null {
  const most = Math.min(conversation.retention_ms ?? Infinity, config.chat.retentionMs ?? Infinity);
  return most === Infinity ? null : most;
}

/** Where messages are kept for less than this, each day has a key of its own, which goes with the last of them. */
const DAILY_BELOW_MS = 30 * DAY_MS;

/** How old the key of a conversation may be when something is sealed under it; undefined: of any age. */
export function mostKeyAge(ctx: Pick<Context, 'config'>, conversation: Kept): number | undefined {
  return (keptMs(ctx, conversation) ?? Infinity) < DAILY_BELOW_MS ? DAY_MS : undefined;
}

/**
 * A message as it is shown: one whose time is over is deleted since then, also as long as nothing has erased it. Everything that reads rows of
 * messages to show them asks this, or `isReadableSql`.
 */
export function keptRow(ctx: Keeping, conversation: Kept, row: ConversationMessageRow): ConversationMessageRow {
  const kept = keptMs(ctx, conversation);
  const isKept = kept === null || row.created_at > ctx.clock.now() - kept || row.deleted_at !== null;
  return isKept ? row : { ...row, sealed: null, signature: null, files: null, deleted_at: row.created_at + kept };
}

/** Values for `isReadableSql`: now, and since when the node keeps messages. */
export function keepingValues({ clock, config }: Keeping): { readonly now: number; readonly since: number } {
  const now = clock.now();
  return { now, since: config.chat.retentionMs === undefined ? 0 : now - config.chat.retentionMs };
}
