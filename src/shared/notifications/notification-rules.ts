import type { NotificationType } from '../../contract/notifications/notification.ts';
import type { NewNotification } from './new-notification.ts';

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
