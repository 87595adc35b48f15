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
  /** it joins no others about the same */
  readonly alone?: boolean;
  /** it comes too late to interrupt anybody: it is in the list, and on no other way */
  readonly late?: boolean;
}

/** What a notification is about, whoever gets it. */
export type About = Pick<NewNotification, 'type' | 'actorId' | 'targetId'>;

/** What a service knows of the notifications that it causes. The context has the rules of all, and is what they are asked with. */
export interface NotificationRulesOf<Context> {
  readonly types: readonly NotificationType[];
  /**
   * Which of these members are to be told of it, at this moment: they may see what it is about, and want to. It is asked when many are
   * notified, and again before anything leaves the node.
   */
  readonly visibleTo: (ctx: Context, about: About, memberIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /**
   * SQL: whether the recipient of a notification may see what one actor did, at this moment. Lists and numbers of notifications ask it, and
   * whatever tells of one. Without it they are for whoever got them.
   * @param notification its alias
   * @param actor SQL: id of the actor
   * @param reader SQL: id of the recipient
   */
  readonly seen?: (notification: string, actor: string, reader: string) => string;
}
