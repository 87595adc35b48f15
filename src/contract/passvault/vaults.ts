import * as v from 'valibot';
import { operation } from '../operation.ts';
import { pagedOrWhole } from '../page.ts';
import { givenName, secretText } from '../text.ts';
import { propertyRecord, vaultId, vaultMetadata, vaultSummary } from './entry.ts';
import { passwordLimits } from '../accounts/limits.ts';

const root = '/api/passvault/vaults';
const masterPassword = secretText(passwordLimits.max);
const name = v.pipe(givenName(200), v.description('unique among the vaults of its owner, in any case; without /'));
const opening = { name: 'vaultOpening', account: ['vaultId'] } as const;

export const vaults = {
  createVault: operation({
    id: 'passvault.create-vault',
    method: 'POST',
    path: root,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Create a vault; it is open in this session',
    description: 'The master password opens it and nothing else does, until emergency access is configured.',
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
    description: 'Open or not; `open` says which of them are open in the session of the caller.',
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
    description: 'The name is encrypted like everything in it.',
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
    description: 'For its owner. There is no way back but a backup of the node.',
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
      'The vault stays open for this session until it was not used for 15 minutes, `lock`, the end of the session, or revocation. ' +
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
    summary: 'Close a vault in this session',
    description: 'Other sessions that have it open are not touched.',
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
    summary: 'Change the master password; the vault closes in all other sessions of the owner',
    description:
      'After emergency recovery by the owner, `masterPassword` may be left out: that is how a forgotten one is replaced.',
    input: v.object({ vaultId, masterPassword: v.optional(masterPassword), newMasterPassword: masterPassword }),
    reply: v.object({ changed: v.literal(true) }),
    status: 200,
    message: 'Master password changed',
    errors: ['VAULT_NOT_FOUND', 'INVALID_MASTER_PASSWORD', 'PASSWORD_WEAK', 'OVERLOADED'],
    limit: opening,
  }),
};
