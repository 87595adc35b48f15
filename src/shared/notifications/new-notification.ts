import type { NotificationType } from '../../contract/notifications/notification.ts';

/** Something that a member should know of. */
export interface NewNotification {
  readonly recipientId: string;
  readonly type: NotificationType;
  /** the member who caused it, who is never notified of it */
  readonly actorId?: string | undefined;
  /** id of what it is about; without one it is in no group */
  readonly targetId?: string | undefined;
  /** one sentence that the recipient may read; a group has that of its last one */
  readonly content: string;
  /**
   * For what its actor can do, undo and do again, such as a like: of one actor and one target there is one while the first is there, and
   * one a day. It needs both.
   */
  readonly once?: boolean;
}
