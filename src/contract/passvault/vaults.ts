import * as v from 'valibot';
import { operation } from '../operation.ts';
import { pagedOrWhole } from '../page.ts';
import { givenName, secretText } from '../text.ts';
import { propertyRecord, vaultId, vaultMetadata, vaultSummary } from './entry.ts';
import { passwordLimits } from '../accounts/limits.ts';

const root = '/api/passvault/vaults';
const masterPassword = secretText(passwordLimits.max);
const name = v.pipe(
  givenName(200),
  v.description('unique among the vaults of its owner, without regard to case; without /'),
);
const opening = { name: 'vaultOpening', account: ['vaultId'] } as const;

export const vaults = {
  createVault: operation({
    id: 'passvault.create-vault',
    method: 'POST',
    path: root,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Create a vault, and open it in this session',
    description: 'Only the master password opens the vault, until emergency access is configured.',
    input: v.object({ name, masterPassword }),
    reply: v.object({ vault: vaultSummary }),
    status: 200,
    message: 'Vault created',
    creates: true,
    errors: ['VAULT_NAME_TAKEN', 'PASSWORD_WEAK', 'OVERLOADED'],
  }),
  listVaults: operation({
    id: 'passvault.list-vaults',
    method: 'GET',
    path: root,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'List the vaults that the caller owns or that are shared with them',
    description: '`open` says whether a vault is open in the session of the caller.',
    ...pagedOrWhole({ name: 'vaults', of: vaultSummary }),
    status: 200,
    message: 'Vaults',
  }),
  renameVault: operation({
    id: 'passvault.rename-vault',
    method: 'PUT',
    path: `${root}/:vaultId`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Rename a vault',
    description: 'The name is encrypted, like the content.',
    input: v.object({ vaultId, name }),
    reply: v.object({ vault: vaultSummary }),
    status: 200,
    message: 'Vault renamed',
    errors: ['VAULT_NOT_FOUND', 'VAULT_NAME_TAKEN'],
  }),
  deleteVault: operation({
    id: 'passvault.delete-vault',
    method: 'DELETE',
    path: `${root}/:vaultId`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Delete a vault with all its entries and attachments',
    description: 'For its owner. Only a backup of the node can bring it back.',
    input: v.object({ vaultId, masterPassword }),
    reply: v.object({ deleted: v.literal(true) }),
    status: 200,
    message: 'Vault deleted',
    errors: ['VAULT_NOT_FOUND', 'INVALID_MASTER_PASSWORD', 'OVERLOADED'],
    limit: opening,
  }),
  openVault: operation({
    id: 'passvault.open-vault',
    method: 'POST',
    path: `${root}/:vaultId/open`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Open a vault in this session',
    description:
      'The owner opens with the master password, a member with whom it is shared with the password of their own account. ' +
      'The vault stays open in this session until it is unused for 15 minutes, it is locked, the session ends, or sharing ends. ' +
      'Opened with the header `X-Vault-Unlock`, it is open only for requests that bring the same one.',
    input: v.object({ vaultId, masterPassword }),
    reply: v.object({ vault: v.object({ metadata: vaultMetadata, propertyRecords: v.array(propertyRecord) }) }),
    status: 200,
    message: 'Vault opened',
    errors: ['VAULT_NOT_FOUND', 'INVALID_MASTER_PASSWORD', 'OVERLOADED'],
    limit: opening,
  }),
  lockVault: operation({
    id: 'passvault.lock-vault',
    method: 'POST',
    path: `${root}/:vaultId/lock`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Lock a vault in this session',
    description: 'It stays open in other sessions.',
    input: v.object({ vaultId }),
    reply: v.object({ locked: v.literal(true) }),
    status: 200,
    message: 'Vault locked',
    errors: ['VAULT_NOT_FOUND'],
  }),
  changeMasterPassword: operation({
    id: 'passvault.change-master-password',
    method: 'POST',
    path: `${root}/:vaultId/change-master-password`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Change the master password, and lock the vault in all other sessions of the owner',
    description:
      'After emergency recovery by the owner, `masterPassword` may be left out. So the owner can replace a forgotten master password.',
    input: v.object({ vaultId, masterPassword: v.optional(masterPassword), newMasterPassword: masterPassword }),
    reply: v.object({ changed: v.literal(true) }),
    status: 200,
    message: 'Master password changed',
    errors: ['VAULT_NOT_FOUND', 'INVALID_MASTER_PASSWORD', 'PASSWORD_WEAK', 'OVERLOADED'],
    limit: opening,
  }),
};
