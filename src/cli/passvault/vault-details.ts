import type { VaultSummary } from '../../contract/passvault/entry.ts';
import type { VaultMember } from '../../contract/passvault/sharing.ts';
import type { EmergencyAccess } from '../../contract/passvault/emergency.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { details } from '../kit/table.ts';
import { vaultTitle } from './find-vault.ts';
import { emergencyText } from './sharing/emergency-details.ts';

export function describeVault(
  screen: Screen,
  vault: VaultSummary,
  members: readonly VaultMember[],
  emergency?: EmergencyAccess,
): string {
  const { id, open, entryCount, role, createdAt, modifiedAt } = vault;
  const named = (wanted: VaultMember['role']) =>
    members.filter((one) => one.role === wanted).map(({ username }) => username);
  return details(screen, [
    ['Name', vaultTitle(vault)],
    ['State', open ? 'open' : 'locked'],
    ['Entries', String(entryCount)],
    ['Owner', role === 'owner' ? 'you' : named('owner').join(', ')],
    ['Shared with', named('recipient').join(', ') || 'nobody'],
    ...(emergency === undefined ? [] : [['Emergency access', emergencyText(emergency)] as const]),
    ['Created', moment(screen, createdAt)],
    ['Changed', moment(screen, modifiedAt)],
    ['Id', id],
  ]);
}
