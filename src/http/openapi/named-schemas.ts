import type { GenericSchema } from 'valibot';
import { shownProfile, settings } from '../../contract/accounts/profile.ts';
import { session } from '../../contract/accounts/sessions.ts';
import { role, signedIn, user, verifiedUser } from '../../contract/accounts/user.ts';
import { entry as ledgerEntry, inclusion } from '../../contract/ledger.ts';
import { member } from '../../contract/accounts/members.ts';
import {
  attachment,
  entry,
  entryType,
  propertyRecord,
  urlMatch,
  vaultMetadata,
  vaultSummary,
} from '../../contract/passvault/entry.ts';
import { auditAction, auditEntry, trusteeship, vaultMember } from '../../contract/passvault/sharing.ts';
import { generatedPassword, healthReport, passwordStrength } from '../../contract/passvault/tools.ts';
import { exported, importError, importProgress } from '../../contract/passvault/transfer.ts';
import * as pool from '../../contract/pool/shapes.ts';

/** Schemas of the contract that have a name in the document. The document refers to them by name everywhere. */
export const namedSchemas: Readonly<Record<string, GenericSchema>> = {
  AccessList: pool.list,
  AccessListEvidence: pool.evidence,
  AccessListSummary: pool.listSummary,
  Attachment: attachment,
  AuditAction: auditAction,
  AuditRecord: auditEntry,
  Entry: entry,
  EntrySummary: propertyRecord,
  EntryType: entryType,
  ExportedFile: exported,
  Fingerprint: pool.fingerprint,
  GeneratedPassword: generatedPassword,
  HealthReport: healthReport,
  ImportNotice: importError,
  ImportProgress: importProgress,
  InclusionProof: inclusion,
  JoinMode: pool.mode,
  JoinRequest: pool.request,
  LedgerEntry: ledgerEntry,
  ListSignature: pool.signature,
  Member: member,
  OwnJoin: pool.join,
  OwnNode: pool.self,
  PasswordStrength: passwordStrength,
  PoolAdministrator: pool.admin,
  PoolNode: pool.node,
  PoolNodeStatus: pool.nodeStatus,
  PoolScope: pool.scope,
  PoolWriter: pool.writer,
  Profile: shownProfile,
  Role: role,
  Session: session,
  Settings: settings,
  SignIn: signedIn,
  Trusteeship: trusteeship,
  UrlMatch: urlMatch,
  User: user,
  Vault: vaultSummary,
  VaultMember: vaultMember,
  VaultMetadata: vaultMetadata,
  VerifiedUser: verifiedUser,
};

/** The additional fields of an entry for each type. */
export const entryVariants = {
  property: 'type',
  fields: {
    login: { name: 'Login', own: ['username', 'password', 'siteUrl', 'totpSecret', 'urls', 'passwordHistory'] },
    credit_card: { name: 'CreditCard', own: ['cardholderName', 'cardNumber', 'expirationDate', 'cvv'] },
    secure_note: { name: 'SecureNote', own: ['content'] },
  },
} as const;

/** Operations whose body is an entry of one of the types. */
export const newEntryOperations: ReadonlySet<string> = new Set(['passvault.create-entry']);
