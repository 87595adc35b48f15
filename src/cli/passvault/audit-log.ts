import { collectPages } from '../../client/pages.ts';
import type { VaultSummary } from '../../contract/passvault/entry.ts';
import type { AuditEntry } from '../../contract/passvault/sharing.ts';
import { passvault } from '../../contract/passvault.ts';
import type { Shown } from '../kit/list-command.ts';
import { performOn, type VaultSession } from './session.ts';

const perPage = 1_000;

/** Reads the audit log page by page, until there are enough entries, with the names of its members. */
export async function auditEntries(
  { client }: VaultSession,
  vault: VaultSummary,
  shown: Shown,
): Promise<{ entries: AuditEntry[]; hasMore: boolean; cursor?: string; nameOf: (memberId: string) => string }> {
  const usernames = new Map<string, string>();
  const nameOf = (memberId: string) => usernames.get(memberId) ?? memberId;
  const { items: entries, ...more } = await collectPages(client, passvault.auditLog, { vaultId: vault.id }, 'entries', {
    ...shown,
    perPage,
    each: (page) => {
      for (const [id, name] of Object.entries(page.usernames)) usernames.set(id, name);
    },
  });
  return { entries, ...more, nameOf };
}

/** The titles of entries that still exist, by id. */
export async function entryTitles(session: VaultSession, vault: VaultSummary): Promise<Map<string, string>> {
  const { entries } = await performOn(session, vault, passvault.listEntries, { vaultId: vault.id });
  return new Map(entries.map(({ id, title }) => [id, title]));
}
