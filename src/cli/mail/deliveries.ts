import { perform, type Caller } from '../../client/perform.ts';
import { mail } from '../../contract/mail.ts';
import type { ReplyOf } from '../../contract/operation.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';

export type Delivery = ReplyOf<typeof mail.showDeliveries>['deliveries'][number];

/** What became of a message, by recipient. What others sent has no deliveries of its own. */
export async function deliveriesOf(caller: Caller, messageId: string): Promise<readonly Delivery[]> {
  return (await perform(caller, mail.showDeliveries, { messageId })).deliveries;
}

export function deliveryTable(screen: Screen, deliveries: readonly Delivery[]): string {
  return table(screen, deliveries, [
    { title: 'ADDRESS', of: ({ address }) => address },
    { title: 'AS', spare: true, of: ({ kind }) => kind },
    { title: 'STATUS', whole: true, of: ({ status }) => status },
    { title: 'SINCE', spare: true, of: ({ updatedAt }) => moment(screen, updatedAt) },
    { title: 'REASON', main: true, of: reasonOf },
  ]);
}

function reasonOf({ reason, failure }: Delivery): string {
  if (reason === null) return failure ?? '-';
  return failure === null ? reason : `${reason} (${failure})`;
}

/** One line for a change. */
export function deliveryLine(delivery: Delivery): string {
  const { address, status } = delivery;
  const reason = reasonOf(delivery);
  return `${address}: ${status}${reason === '-' ? '' : `, ${reason}`}`;
}

export function isOver({ status }: Delivery): boolean {
  return status !== 'PENDING' && status !== 'IN_TRANSIT';
}
