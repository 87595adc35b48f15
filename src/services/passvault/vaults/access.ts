import { dropSecret, keepSecret, noteSecretUse, openSecret } from '../../../shared/members/session-secrets.ts';
import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { concat, utf8 } from '../../../crypto/bytes.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { vaultLocked, vaultNotFound } from '../problems.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { openWithSecret, sealWithSecret } from '../../../crypto/sealing.ts';

export type Role = 'owner' | 'recipient';

/** A vault that the actor has open. The request may read and write its content. */
export interface OpenVault {
  readonly id: string;
  readonly role: Role;
  readonly dataKey: Uint8Array;
  readonly keyVersion: number;
  /** opened by the master password; missing for recipients, and for an owner who used emergency recovery */
  readonly vaultKey: Uint8Array | undefined;
}

interface AccessRow {
  readonly role: Role;
  readonly key_version: number;
  readonly sealed: Uint8Array | null;
  readonly used_at: number | null;
}

/** Uses within one second count as one, so a burst of reads isn't a burst of writes. */
const USE_MS = 1_000;
const KEY_LENGTH = 32;
const VERSION_LENGTH = 4;

const findAccess = writtenQuery<AccessRow>(`
  select s.sealed, s.used_at, m.role, v.key_version
  from passvault_members m
  join passvault_vaults v on v.id = m.vault_id
  left join session_secrets s on s.session_id = $1 and s.name = $2 and s.jti_hash = $3
  where m.vault_id = $4 and m.member_id = $5`);

/** The name under which a session keeps the keys of a vault. */
export function openingOf(vaultId: string): string {
  return `passvault/${vaultId}`;
}

/**
 * The role of the actor; the vault may be closed. An actor without a role costs the same single lookup as a vault that doesn't exist.
 * @throws Problem missing VAULT_NOT_FOUND
 */
export async function roleIn(ctx: Context, actor: Actor, vaultId: string): Promise<Role> {
  const row = await ctx.db
    .selectFrom('passvault_members')
    .select('role')
    .where('vault_id', '=', vaultId)
    .where('member_id', '=', actor.memberId)
    .executeTakeFirst();
  if (row === undefined) throw vaultNotFound();
  return row.role;
}

/** The owner of a vault. Its content counts as the owner's, even if another member added it. @throws Problem missing VAULT_NOT_FOUND */
export async function ownerOf(ctx: Context, vaultId: string): Promise<string> {
  const row = await ctx.db
    .selectFrom('passvault_vaults')
    .select('owner_id')
    .where('id', '=', vaultId)
    .executeTakeFirst();
  if (row === undefined) throw vaultNotFound();
  return row.owner_id;
}

/** @throws Problem missing VAULT_NOT_FOUND if the actor isn't the owner */
export async function requireOwner(ctx: Context, actor: Actor, vaultId: string): Promise<void> {
  if ((await roleIn(ctx, actor, vaultId)) !== 'owner') throw vaultNotFound();
}

/**
 * The keys of a vault that is open in the actor's session, read now, and in the running transaction if there is one. This counts as use.
 * @throws Problem missing VAULT_NOT_FOUND, unauthenticated VAULT_LOCKED
 */
export async function openVault(ctx: Context, actor: Actor, vaultId: string): Promise<OpenVault> {
  const name = openingOf(vaultId);
  const query = findAccess(actor.sessionId, name, actor.jtiHash, vaultId, actor.memberId);
  const { rows } = await ctx.db.executeQuery(query);
  const [row] = rows;
  if (row === undefined) throw vaultNotFound();
  const now = ctx.clock.now();
  const { sealed, used_at: usedAt } = row;
  if (sealed === null || usedAt === null || usedAt + ctx.config.vaults.idleMs <= now) throw vaultLocked();
  const keys = openingIn(actor, name, sealed);
  if (keys === undefined || keys.keyVersion !== row.key_version) throw vaultLocked();
  if (now - usedAt >= USE_MS) await noteUse(ctx, actor, name);
  return { id: vaultId, role: row.role, ...keys };
}

/** Like `openVault`, for actions that only the owner may take. */
export async function openOwnVault(ctx: Context, actor: Actor, vaultId: string): Promise<OpenVault> {
  const vault = await openVault(ctx, actor, vaultId).catch(async (error: unknown) => {
    // A recipient must not learn more from a closed vault than from an open one.
    await requireOwner(ctx, actor, vaultId);
    throw error;
  });
  if (vault.role !== 'owner') throw vaultNotFound();
  return vault;
}

/** Checks that the key didn't change. Data encrypted before the transaction must use the key that the vault has in the transaction. */
export async function assertSameKey(tx: Context, actor: Actor, vault: OpenVault): Promise<void> {
  const now = await openVault(tx, actor, vault.id);
  if (now.keyVersion !== vault.keyVersion) throw vaultLocked();
}

async function noteUse(ctx: Context, actor: Actor, name: string): Promise<void> {
  const running = ctx.db !== ctx.store.db;
  try {
    await transaction(ctx, (tx) => noteSecretUse(tx, actor, name));
  } catch (error) {
    // Reading still works when the disk is full. The vault then closes a little early.
    if (running) throw error;
    ctx.log.debug('the last use of a vault was not stored', { error });
  }
}

export type VaultKeys = Pick<OpenVault, 'dataKey' | 'keyVersion' | 'vaultKey'>;

/** Opens the vault for the actor's session. */
export async function keepOpen(tx: Context, actor: Actor, vaultId: string, keys: VaultKeys): Promise<void> {
  const version = Buffer.alloc(VERSION_LENGTH);
  version.writeUInt32BE(keys.keyVersion);
  const secret = concat(version, keys.dataKey, keys.vaultKey ?? new Uint8Array());
  const name = openingOf(vaultId);
  await keepSecret(tx, actor, name, sealForClient(tx, actor, name, secret));
}

/** Closes the vault for the actor's session. */
export async function close(tx: Context, actor: Actor, vaultId: string): Promise<void> {
  await dropSecret(tx, actor, openingOf(vaultId));
}

/**
 * The keys of a vault that a session keeps.
 * @param sealed from the row with the actor's session and token
 * @returns undefined if it was opened with a key of the client, and the actor doesn't bring that key
 * @throws CryptoError
 */
export function openingIn(actor: Actor, name: string, sealed: Uint8Array): VaultKeys | undefined {
  const kept = openSecret(actor, name, sealed);
  // Bare keys are shorter than any sealed value.
  const bare = kept.length <= VERSION_LENGTH + 2 * KEY_LENGTH;
  const secret = bare ? kept : openForClient(actor, name, kept);
  return secret === undefined ? undefined : readKeys(secret);
}

function readKeys(secret: Uint8Array): VaultKeys {
  const rest = secret.subarray(VERSION_LENGTH + KEY_LENGTH);
  return {
    keyVersion: Buffer.from(secret.subarray(0, VERSION_LENGTH)).readUInt32BE(),
    dataKey: secret.subarray(VERSION_LENGTH, VERSION_LENGTH + KEY_LENGTH),
    vaultKey: rest.length === KEY_LENGTH ? rest : undefined,
  };
}

const INFO = 'conclave/passvault/unlock-key/v1';

/**
 * Seals the keys of an open vault with the client's key, if the client brings one. The session seals the result again with its token. So
 * both are needed to open it, and a refreshed token can take it over without the client's key.
 *
 * @param name the name under which the session keeps it
 */
function sealForClient(ctx: Context, actor: Actor, name: string, secret: Uint8Array): Uint8Array {
  return actor.unlockKey === undefined ? secret : sealWithSecret(actor.unlockKey, INFO, secret, utf8(name), ctx.random);
}

/** @returns undefined if the client doesn't bring the key that sealed it */
function openForClient(actor: Actor, name: string, sealed: Uint8Array): Uint8Array | undefined {
  if (actor.unlockKey === undefined) return undefined;
  try {
    return openWithSecret(actor.unlockKey, INFO, sealed, utf8(name));
  } catch (error) {
    if (error instanceof CryptoError) return undefined;
    throw error;
  }
}
