import { perform } from '../../client/perform.ts';
import type { VaultSummary } from '../../contract/passvault/entry.ts';
import type { AuditEntry } from '../../contract/passvault/sharing.ts';
import { passvault } from '../../contract/passvault.ts';
import { performOn, type VaultSession } from './session.ts';

const perPage = 1_000;

/** The audit log page after page, until there is enough, and how its members are called. */
export async function auditEntries(
  { client }: VaultSession,
  vault: VaultSummary,
  most: number,
): Promise<{ entries: AuditEntry[]; hasMore: boolean; nameOf: (memberId: string) => string }> {
  const usernames = new Map<string, string>();
  const nameOf = (memberId: string) => usernames.get(memberId) ?? memberId;
  const entries: AuditEntry[] = [];
  let cursor: string | undefined;
  for (;;) {
    const limit = Math.min(perPage, most - entries.length);
    const page = await perform(client, passvault.auditLog, {
      vaultId: vault.id,
      limit,
      ...(cursor !== undefined && { cursor }),
    });
    entries.push(...page.entries);
    for (const [id, name] of Object.entries(page.usernames)) usernames.set(id, name);
    cursor = page.cursor;
    if (!page.hasMore || cursor === undefined) return { entries, hasMore: false, nameOf };
    if (entries.length >= most) return { entries, hasMore: true, nameOf };
  }
}

/** What entries are called that are still there, by id. */
export async function entryTitles(session: VaultSession, vault: VaultSummary): Promise<Map<string, string>> {
  const { entries } = await performOn(session, vault, passvault.listEntries, { vaultId: vault.id });
  return new Map(entries.map(({ id, title }) => [id, title]));
}
