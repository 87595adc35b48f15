import type { VaultSummary } from '../../contract/passvault/entry.ts';
import { moment, type Screen } from '../screen.ts';
import { facts } from '../table.ts';

export function describeVault(screen: Screen, vault: VaultSummary): string {
  const { name, id, open, entryCount, role, ownerId, sharedWith, createdAt, modifiedAt } = vault;
  return facts(screen, [
    ['Name', name],
    ['State', open ? 'open' : 'locked'],
    ['Entries', String(entryCount)],
    ['Owner', role === 'owner' ? 'you' : ownerId],
    ['Shared with', sharedWith.join(', ') || 'nobody'],
    ['Created', moment(screen, createdAt)],
    ['Changed', moment(screen, modifiedAt)],
    ['Id', id],
  ]);
}
