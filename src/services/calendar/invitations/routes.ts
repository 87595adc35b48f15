import type { Context } from '../../../service/context.ts';
import type { Delivery } from '../../../contract/calendar/limits.ts';
import { deliveryTo } from '../../mail/sending/calendar-mail.ts';

/** Whether mail to an address finds its way. */
export async function hasRoute(tx: Context, email: string): Promise<boolean> {
  return (await deliveryTo(tx, email)) !== 'NO_ROUTE';
}

/** How mail finds its way to many addresses, asking once for each domain. */
export function routeFinder(tx: Context): (email: string) => Promise<Delivery> {
  const known = new Map<string, Delivery>();
  return async (email) => {
    const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
    const found = known.get(domain);
    if (found !== undefined) return found;
    const delivery = await deliveryTo(tx, email);
    // An address that is none says nothing of the others of its domain.
    if (delivery !== 'NO_ROUTE') known.set(domain, delivery);
    return delivery;
  };
}
