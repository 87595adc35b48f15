import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { Entry, PropertyRecord, VaultSummary } from '../../../contract/passvault/entry.ts';
import { passvaultLimits } from '../../../contract/passvault/limits.ts';
import { Problem } from '../../../base/problem.ts';
import { entriesNamed, exactFirst, isId, vaultsNamed, vaultTitle } from '../../../base/vault-names.ts';
import { entryNotFound, vaultNotFound } from '../problems.ts';
import { listVaults } from '../vaults/vaults.ts';
import { listEntries, showEntry } from './entries.ts';
import { search } from './search.ts';

type Found = Pick<PropertyRecord, 'id' | 'title' | 'siteUrl'>;

/**
 * Finds an entry by names and reads it. Each step asks for the right to it, so that a name leads no further than an id.
 *
 * @throws Problem missing VAULT_NOT_FOUND or ENTRY_NOT_FOUND, unauthenticated VAULT_LOCKED, conflict NAME_AMBIGUOUS
 */
export async function showNamedEntry(
  ctx: Context,
  actor: Actor,
  { vault: vaultName, entry: name }: { vault?: string | undefined; entry: string },
): Promise<{ vault: VaultSummary; entry: Entry }> {
  const { vaults } = await listVaults(ctx, actor, {});
  const among = vaultName === undefined ? vaults.filter(({ open }) => open) : [theOneVault(vaultName, vaults)];
  const found: (Found & { readonly vault: VaultSummary })[] = [];
  for (const vault of among) {
    const here = entriesNamed(name, await candidates(ctx, actor, vault, name));
    found.push(...here.map(({ id, title, siteUrl }) => ({ id, title, siteUrl, vault })));
  }
  const meant = exactFirst(name, found);
  const [one, another] = meant;
  if (one === undefined) throw entryNotFound();
  if (another !== undefined)
    throw ambiguous(
      'entry',
      meant.map(({ id, title, vault }) => ({ id, title: `${vaultTitle(vault)}/${title}` })),
    );
  const { vault } = one;
  return { vault, ...(await showEntry(ctx, actor, { vaultId: vault.id, entryId: one.id })) };
}

function theOneVault(name: string, vaults: readonly VaultSummary[]): VaultSummary {
  const named = vaultsNamed(name, vaults);
  const [one, another] = named;
  if (one === undefined) throw vaultNotFound();
  if (another === undefined) return one;
  throw ambiguous(
    'vault',
    named.map((vault) => ({ id: vault.id, title: vaultTitle(vault) })),
  );
}

/** Everything that the name can mean has it in the fields that a search looks at, except an entry that is named by its id. */
async function candidates(ctx: Context, actor: Actor, { id: vaultId }: VaultSummary, name: string): Promise<Found[]> {
  if (isId(name)) return (await listEntries(ctx, actor, { vaultId })).entries;
  return (await search(ctx, actor, { vaultId, query: name.slice(0, passvaultLimits.query) })).results;
}

/** How many are listed. */
const MOST = 10;

function ambiguous(
  what: 'vault' | 'entry',
  found: readonly { readonly id: string; readonly title: string }[],
): Problem {
  return new Problem('conflict', 'NAME_AMBIGUOUS', `The name means more than one ${what}.`, {
    fields: found.slice(0, MOST).map(({ id, title }) => ({ path: id, message: title })),
  });
}
