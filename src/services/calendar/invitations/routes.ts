import { domainToASCII } from 'node:url';
import type { Context } from '../../../service/context.ts';
import { nodeServing } from '../../mail/network/routes.ts';

/** Whether mail to an address finds its way: a node of the pool serves its domain. */
export async function hasRoute(tx: Context, email: string): Promise<boolean> {
  const domain = domainToASCII(email.slice(email.lastIndexOf('@') + 1).toLowerCase());
  return domain !== '' && (await nodeServing(tx, domain)) !== undefined;
}

/** The same for many addresses, each domain once. */
export function routeFinder(tx: Context): (email: string) => Promise<boolean> {
  const known = new Map<string, boolean>();
  return async (email) => {
    const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
    const found = known.get(domain) ?? (await hasRoute(tx, email));
    known.set(domain, found);
    return found;
  };
}
