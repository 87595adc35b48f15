import type { Actor } from '../../../actor.ts';
import { transaction, type Context } from '../../../context.ts';
import { Problem } from '../../../problem.ts';
import { MAX_ADMINS, MAX_DOCUMENT, MAX_WRITERS, type AclDocument, type AclWriter } from './document.ts';
import { signList, validSignatures, type SignedList } from './chain.ts';
import { ensureList } from '../joining/founding.ts';
import { adopt } from './store.ts';
import { assertStillAdministrator, signerFor, type Signer, type theNode } from './signer.ts';

/** More collisions in a row than administrators can cause by hand. */
const TRIES = 50;

type Change = Partial<Pick<AclDocument, 'mode' | 'writers' | 'admins'>>;

export interface ListChange {
  /** what is to be different; it may be asked again, for a newer list, and refuses by throwing */
  readonly change: (current: AclDocument, signer: Signer) => Change | Promise<Change>;
  /** what belongs into the same transaction; it refuses by throwing */
  readonly also?: (tx: Context, list: SignedList) => Promise<void>;
}

/**
 * Signs the next version of the access list and makes it count. The work of signing happens outside of the transaction, which then goes
 * through only if nobody was faster.
 *
 * @throws Problem forbidden KEY_LOCKED, POOL_NOT_ADMINISTRATOR; conflict POOL_SIGNATURES_MISSING, POOL_FULL, POOL_BUSY
 */
export async function changeList(
  ctx: Context,
  actor: Actor | typeof theNode,
  { change, also }: ListChange,
): Promise<SignedList> {
  for (let left = TRIES; left > 0; left -= 1) {
    const current = await ensureList(ctx);
    const signer = await signerFor(ctx, actor, current.document);
    const next = nextList(ctx, current, await change(current.document, signer), signer);
    const counts = await transaction(ctx, async (tx) => {
      await assertStillAdministrator(tx, actor);
      const { poolId } = current.document;
      const adopted = await adopt(tx, {
        from: { poolId, hash: current.hash },
        lists: [next],
        source: ctx.keys.nodeId,
      });
      if (adopted) await also?.(tx, next);
      return adopted;
    });
    if (counts) return next;
  }
  throw new Problem('conflict', 'POOL_BUSY', 'The access list was changed by others all the time. Try again.');
}

function nextList(ctx: Context, current: SignedList, change: Change, signer: Signer): SignedList {
  const document: AclDocument = {
    ...current.document,
    ...change,
    version: current.document.version + 1,
    prev: current.hash,
    issuedAt: new Date(ctx.clock.now()).toISOString(),
  };
  const { admins, threshold } = current.document;
  if (document.admins.length > MAX_ADMINS || document.writers.length > MAX_WRITERS) throw full();
  uniqueDomains(document.writers);
  const list = signList(document, signer.memberId, signer.privateKey);
  if (list.text.length > MAX_DOCUMENT) throw full();
  if (validSignatures(list, admins).length < threshold)
    throw new Problem(
      'conflict',
      'POOL_SIGNATURES_MISSING',
      `The access list wants the signatures of ${threshold} administrators, and here is one.`,
    );
  return list;
}

function uniqueDomains(writers: readonly AclWriter[]): void {
  const domains = writers.flatMap((writer) => writer.mailDomain ?? []);
  if (new Set(domains).size === domains.length) return;
  throw new Problem('conflict', 'POOL_MAIL_DOMAIN_TAKEN', 'Another node of the pool serves this mail domain.');
}

function full(): Problem {
  return new Problem('conflict', 'POOL_FULL', 'The access list has no room for more.');
}
