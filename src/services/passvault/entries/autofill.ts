import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { openVault } from '../vaults/access.ts';
import { record } from '../vaults/audit.ts';
import { entryRow, openEntry } from './entry-rows.ts';
import { currentCode } from '../tools/one-time-codes.ts';
import { readProperties } from '../vaults/pages.ts';
import { fieldProblem } from '../../../base/problem.ts';
import type { EntryUrl, Properties } from '../vaults/properties.ts';
import { bestFit, webUrl } from './url-match.ts';

/** The logins for a page, best match first. Each of them counts as read. */
export async function autofill(ctx: Context, actor: Actor, { vaultId, siteUrl }: { vaultId: string; siteUrl: string }) {
  const page = webUrl(siteUrl);
  if (page === undefined) throw fieldProblem('siteUrl', 'is not a web address');
  return await transaction(ctx, async (tx) => {
    const vault = await openVault(tx, actor, vaultId);
    const entries = [];
    for (const found of ranked(await readProperties(tx, vault), page)) {
      const row = await entryRow(tx, vaultId, found.id);
      const { title, username = '', password = '', siteUrl: url = '', totpSecret } = openEntry(vault, row);
      const totpCode = currentCode(totpSecret, tx.clock.now());
      await record(tx, actor, vaultId, 'ENTRY_READ', { entryId: row.id, by: 'autofill' });
      entries.push({ entryId: row.id, title, username, password, siteUrl: url, totpCode });
    }
    return { vaultId, entries };
  });
}

function ranked(all: readonly Properties[], page: URL): Properties[] {
  return all
    .filter((one) => one.entryType === 'login' && !one.archived)
    .map((one) => ({ one, fit: bestFit(addressesOf(one), page) }))
    .filter(({ fit }) => fit > 0)
    .sort(
      (a, b) => b.fit - a.fit || Number(b.one.favorite) - Number(a.one.favorite) || b.one.updatedAt - a.one.updatedAt,
    )
    .map(({ one }) => one);
}

/** The main address is compared by domain, unless it is also in the list of addresses with its own mode. */
function addressesOf({ siteUrl, urls }: Properties): EntryUrl[] {
  const main =
    siteUrl === '' || urls.some((url) => url.uri === siteUrl) ? [] : [{ uri: siteUrl, match: 'domain' as const }];
  return [...main, ...urls];
}
