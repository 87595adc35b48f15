import type { NotificationType } from '../contract/notifications/notification.ts';
import type { NewNotification } from './new-notification.ts';

/** What a notification is about, whoever gets it. */
export type About = Pick<NewNotification, 'type' | 'actorId' | 'targetId'>;

/** What a service knows of the notifications that it causes. The context has the rules of all, and is what they are asked with. */
export interface NotificationRulesOf<Context> {
  readonly types: readonly NotificationType[];
  /**
   * Which of these members may see what a notification is about, at this moment. It is asked when many are notified, and again before
   * anything leaves the node.
   */
  readonly visibleTo: (ctx: Context, about: About, memberIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** The members of an audience, such as those of a hub, in ascending order of their ids: so many after one of them, or the first ones. */
  readonly audience?: (
    ctx: Context,
    audience: string,
    page: { readonly after: string | undefined; readonly limit: number },
  ) => Promise<readonly string[]>;
}
