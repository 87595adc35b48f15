import type { Context } from '../../../service/context.ts';
import { notify } from '../../../shared/notifications/notify.ts';
import type { OpenAppointment } from './guest-data.ts';

/** What a guest did. */
export type GuestDeed = 'booked' | 'moved' | 'cancelled';

/** Tells the host what a guest did, in its transaction. */
export async function tellHost(tx: Context, { row, data }: OpenAppointment, deed: GuestDeed): Promise<void> {
  const waits = row.status === 'pending' ? ' It waits for you to confirm it.' : '';
  await notify(tx, {
    recipientId: row.host_id,
    type: deed === 'cancelled' ? 'booking_cancelled' : 'booking_created',
    targetId: row.id,
    content: `${data.name} ${deed} ${data.typeName}.${waits}`.slice(0, 500),
  });
}
