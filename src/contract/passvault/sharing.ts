import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged, pagedOrWhole } from '../page.ts';
import { hex, integer, memberId, memberName, recordId, timestamp } from '../text.ts';
import { emergencyChange } from './emergency.ts';
import { vaultId } from './entry.ts';

const root = '/api/passvault/vaults/:vaultId';
const closed = ['VAULT_NOT_FOUND', 'VAULT_LOCKED'] as const;

const members = (max: number) =>
  v.pipe(
    v.array(memberName, 'must be a list of members'),
    v.minLength(1, 'must not be empty'),
    v.maxLength(max, `must be at most ${max} members`),
    v.check(
      (names) => new Set(names.map((name) => name.toLowerCase())).size === names.length,
      'must name each member once',
    ),
  );

export const auditAction = v.picklist([
  'VAULT_CREATED',
  'VAULT_OPENED',
  'VAULT_DELETED',
  'VAULT_SHARED',
  'VAULT_SHARE_REVOKED',
  'ENTRY_CREATED',
  'ENTRY_READ',
  'ENTRY_UPDATED',
  'ENTRY_DELETED',
  'EMERGENCY_CONFIGURED',
  'EMERGENCY_RECOVERED',
  'VAULT_RENAMED',
  'VAULT_EXPORTED',
  'VAULT_CHECKED',
  'MASTER_PASSWORD_CHANGED',
  'EMERGENCY_SHARE_READ',
  'EMERGENCY_REQUESTED',
  'EMERGENCY_DENIED',
  'EMERGENCY_RENEWED',
  'EMERGENCY_ENDED',
  'ATTACHMENT_ADDED',
  'ATTACHMENT_READ',
  'ATTACHMENT_REMOVED',
]);
export type AuditAction = v.InferOutput<typeof auditAction>;

export const auditEntry = v.object({
  id: recordId,
  vaultId,
  memberId,
  action: auditAction,
  timestamp,
  blockHeight: v.pipe(v.number(), v.description('index of the ledger entry that commits to this record')),
  ledgerEntryHash: v.string(),
  metadata: v.optional(v.record(v.string(), v.union([v.string(), v.number(), v.boolean()]))),
});
export type AuditEntry = v.InferOutput<typeof auditEntry>;

export const vaultMember = v.object({
  memberId,
  username: v.string(),
  role: v.picklist(['owner', 'recipient']),
  since: timestamp,
});
export type VaultMember = v.InferOutput<typeof vaultMember>;

export const trusteeship = v.object({
  vaultId,
  ownerId: memberId,
  ownerUsername: v.string(),
  epoch: v.pipe(v.number(), v.description('number of the configuration, from 1')),
  threshold: v.pipe(v.number(), v.description('number of shares that a recovery needs')),
});
export type Trusteeship = v.InferOutput<typeof trusteeship>;

export const sharing = {
  auditLog: operation({
    id: 'passvault.audit-log',
    method: 'GET',
    path: `${root}/audit-log`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Read the audit log of a vault, newest first, as its owner',
    description: 'An entry of the ledger commits to each record. `usernames` has the names of members who still exist.',
    ...paged({
      name: 'entries',
      of: auditEntry,
      filter: { vaultId },
      more: {
        usernames: v.pipe(
          v.record(v.string(), v.string()),
          v.description('of the members whose ids are in the entries, by id; without members who no longer exist'),
        ),
      },
      errors: ['VAULT_NOT_FOUND', 'LEDGER_BEHIND', 'LEDGER_DAMAGED'],
      most: 1_000,
      limit: 100,
    }),
    status: 200,
    message: 'Audit log',
  }),
  share: operation({
    id: 'passvault.share',
    method: 'POST',
    path: `${root}/share`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Share an open vault: the members read and write its entries',
    description:
      'The key of the vault is encrypted to each of them. They open it with the password of their own account.',
    input: v.object({ vaultId, recipientMemberIds: members(100) }),
    reply: v.object({ shared: v.literal(true), recipientMemberIds: v.array(memberId) }),
    status: 200,
    message: 'Vault shared',
    errors: closed,
  }),
  revokeShare: operation({
    id: 'passvault.revoke-share',
    method: 'POST',
    path: `${root}/revoke-share`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Stop sharing with a member, and encrypt the whole vault again',
    description:
      'The old key of the member opens nothing any more. The member may have copied passwords, so change them. ' +
      'The vault is locked for everybody else, who can open it again. The member also stops being a trustee, and the other trustees get new shares.',
    input: v.object({ vaultId, memberId: memberName }),
    reply: v.object({ revoked: v.literal(true), memberId, emergencyAccess: v.optional(emergencyChange) }),
    status: 200,
    message: 'Sharing ended',
    errors: [...closed, 'MASTER_PASSWORD_UNKNOWN', 'OVERLOADED'],
  }),
  configureEmergencyAccess: operation({
    id: 'passvault.configure-emergency-access',
    method: 'POST',
    path: `${root}/emergency-access`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Set up emergency access: name the trustees who can recover an open vault together',
    description: 'The key is split, so fewer trustees than the threshold learn nothing. Earlier shares stop working.',
    input: v.object({ vaultId, threshold: integer(1, 255), trustees: members(255) }),
    reply: v.object({
      configured: v.literal(true),
      threshold: v.number(),
      totalShares: v.number(),
      trustees: v.array(memberId),
      epoch: v.number(),
    }),
    status: 200,
    message: 'Emergency access configured',
    errors: closed,
  }),
  listVaultMembers: operation({
    id: 'passvault.list-vault-members',
    method: 'GET',
    path: `${root}/members`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'List who can open a vault, the owner first',
    description: 'For everybody who can open the vault. It may be open or locked.',
    ...pagedOrWhole({ name: 'members', of: vaultMember, filter: { vaultId }, errors: ['VAULT_NOT_FOUND'] }),
    status: 200,
    message: 'Members of the vault',
  }),
  listTrusteeships: operation({
    id: 'passvault.list-trusteeships',
    method: 'GET',
    path: '/api/passvault/trusteeships',
    envelope: 'passvault',
    auth: 'member',
    summary: 'List the vaults of which the caller is a trustee',
    description: 'With their owners, and the number of shares that a recovery needs.',
    ...pagedOrWhole({ name: 'trusteeships', of: trusteeship }),
    status: 200,
    message: 'Trusteeships',
  }),
  emergencyShare: operation({
    id: 'passvault.emergency-share',
    method: 'GET',
    path: `${root}/emergency-share`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Read your share of a vault, as its trustee',
    description:
      'The share is an ECIES message to the trustee with the context `conclave/passvault/emergency-share/v1/<vaultId>/<epoch>/<trusteeId>`. ' +
      'For a recovery, decrypt it and encrypt it to the key of the node, with the context `conclave/passvault/emergency-recovery/v1/<vaultId>/<epoch>/<trusteeId>`; ' +
      'a session with the private key of the trustee gets the result as `recoveryShare`. Give that to the person who recovers the vault.',
    input: v.object({ vaultId }),
    reply: v.object({
      share: v.object({
        vaultId,
        vaultName: v.string(),
        ownerId: memberId,
        trusteeId: memberId,
        epoch: v.number(),
        threshold: v.number(),
        totalShares: v.number(),
        encryptedShare: hex({ max: 1024 }),
        nodePublicKey: hex(33),
        recoveryShare: v.optional(hex({ max: 1024 })),
      }),
    }),
    status: 200,
    message: 'Share',
    secretReply: true,
    errors: ['VAULT_NOT_FOUND'],
  }),
  emergencyRecover: operation({
    id: 'passvault.emergency-recover',
    method: 'POST',
    path: `${root}/emergency-recover`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Recover a vault with the shares of its trustees',
    description:
      'For its owner, its trustees and the members with whom it is shared. Each `encryptedShare` is encrypted to the key of the node, see `passvault.emergency-share`. ' +
      'The caller becomes a member of the vault, and it is open in this session. Then each trustee gets a new share, because no share works twice. ' +
      'If the node has a waiting period, the first request of anybody but the owner only notifies the owner, who can deny it until `availableAt`. ' +
      'The same request after that recovers the vault.',
    input: v.object({
      vaultId,
      shares: v.pipe(
        v.array(v.object({ trusteeId: memberId, encryptedShare: hex({ max: 1024 }) }), 'must be a list of shares'),
        v.maxLength(255, 'must be at most 255 shares'),
      ),
    }),
    reply: v.object({
      vault: v.object({
        id: vaultId,
        name: v.string(),
        recovered: v.boolean(),
        availableAt: v.optional(
          v.pipe(
            timestamp,
            v.description('present if the vault is not recovered yet: send the request again after this time'),
          ),
        ),
      }),
      emergencyAccess: v.optional(v.pipe(emergencyChange, v.description('for the owner'))),
    }),
    status: 200,
    message: 'Vault recovered',
    errors: ['VAULT_NOT_FOUND', 'INSUFFICIENT_SHARES', 'INVALID_SHARE'],
    limit: { name: 'vaultOpening', account: ['vaultId'] },
  }),
};
