import type { Context } from '../../context.ts';
import { hiddenFrom } from '../../members/blocks.ts';
import { notify, type NewNotification } from '../../notifications/notify.ts';

/** As `notify`, unless one of the two blocked the other, or the recipient muted the actor. */
export async function tell(tx: Context, wanted: NewNotification & { readonly actorId: string }): Promise<void> {
  const { recipientId, actorId } = wanted;
  if ((await hiddenFrom(tx, recipientId, [actorId], 'blocks and mutes')).size === 0) await notify(tx, wanted);
}
