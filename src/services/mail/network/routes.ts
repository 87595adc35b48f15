import type { Context } from '../../../service/context.ts';
import { nodeOfMailDomain } from '../../pool/joining/admission-policy.ts';
import { ownDomain } from '../own-mailbox.ts';

/** The node that serves a mail domain. */
export type Served = 'here' | { readonly nodeId: string; readonly publicKey: string } | undefined;

/**
 * Where mail of a domain goes. The access list of the pool decides. What it doesn't name is this node's own domain, or nobody's.
 */
export async function nodeServing(tx: Context, domain: string): Promise<Served> {
  const listed = await listedNode(tx, domain);
  if (listed !== undefined) return listed.nodeId === tx.keys.nodeId ? 'here' : listed;
  return domain === ownDomain(tx) ? 'here' : undefined;
}

/** The node that the access list names for a domain. A process that runs no network reads the list itself. */
export async function listedNode(
  tx: Context,
  domain: string,
): Promise<{ readonly nodeId: string; readonly publicKey: string } | undefined> {
  const directory = tx.gossip.directory();
  return directory === undefined ? await nodeOfMailDomain(tx, domain) : await directory.serving(tx.db, domain);
}
