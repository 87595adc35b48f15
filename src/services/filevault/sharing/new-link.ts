import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { filevaultLimits, type LinkMode } from '../../../contract/filevault/limits.ts';
import type { MadeLink } from '../../../contract/filevault/links.ts';
import { fromHex, toHex } from '../../../crypto/bytes.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { generateKeyPair } from '../../../crypto/key-pair.ts';
import { compressPublicKey } from '../../../crypto/public-key.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { earlierReply, once } from '../../../service/repeats.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { FileLinkRow, FileShareKeyRow } from '../../../platform/store/tables/file-shares.ts';
import type { FileContentRow } from '../../../platform/store/tables/filevault.ts';
import { insertRows } from '../../../platform/store/written-query.ts';
import type { Place } from '../access/places.ts';
import { requireApproval } from '../approvals/guard.ts';
import { record } from '../audit.ts';
import { contentRow } from '../content/reading.ts';
import { versionOf } from '../files/versions.ts';
import { clientEncrypted } from '../problems.ts';
import { assertFree } from './internal.ts';
import { assertBrought, requireGrantable } from './granting.ts';
import { erasureKeyOf, keyFor, sealedKey } from './keys.ts';
import { tokenHash } from './live-links.ts';
import { keptPassword } from './passwords.ts';
import { publicUrl } from './public-url.ts';

interface NewLink {
  readonly fileId: string;
  readonly mode: LinkMode;
  readonly password?: string | undefined;
  readonly expiresAt?: string | undefined;
  readonly maxAccessCount?: number | undefined;
  readonly recipientPublicKey?: string | undefined;
  readonly linkId?: string | undefined;
  readonly ephemeralPublicKey?: string | undefined;
  readonly wrappedKey?: string | undefined;
}

const TOKEN_BYTES = 32;
const TOKEN_SHOWN = 6;

export async function createLink(ctx: Context, actor: Actor, input: NewLink): Promise<MadeLink> {
  const { node } = await requireLinkable(ctx, actor, input);
  await earlierReply(ctx);
  const version = await versionOf(ctx, node.id, node.version_id ?? '');
  const content = await contentRow(ctx, version.content_id);
  const id = input.linkId ?? recordId(ctx.clock.now(), ctx.random);
  const keys = await keysOf(ctx, id, input, content);
  const token = Buffer.from(ctx.random(TOKEN_BYTES)).toString('base64url');
  const password = await keptPassword(ctx, input.password);
  return await transaction(ctx, async (tx) => {
    const place = await requireLinkable(tx, actor, input);
    await versionOf(tx, node.id, version.id);
    return await once(tx, async () => {
      await requireApproval(tx, actor, place.container, 'external_share', node.id);
      await assertRoom(tx, node.id);
      await assertFree(tx, id);
      const row: FileLinkRow = {
        id,
        token_hash: tokenHash(token),
        token_start: token.slice(0, TOKEN_SHOWN),
        file_id: node.id,
        container_id: place.container.id,
        version_id: version.id,
        content_id: content.id,
        created_by: actor.memberId,
        mode: input.mode,
        ...password,
        ephemeral_key: keys.ephemeral,
        recipient_key: keys.recipient,
        expires_at: input.expiresAt === undefined ? null : Date.parse(input.expiresAt),
        max_count: input.maxAccessCount ?? null,
        access_count: 0,
        revoked_at: null,
        created_at: tx.clock.now(),
      };
      await tx.db.insertInto('file_links').values(row).execute();
      if (keys.row !== undefined) await insertRows(tx.db, 'file_share_keys', [keys.row]);
      await record(tx, actor, {
        action: 'SHARE_LINK_CREATED',
        containerId: row.container_id,
        nodeId: node.id,
        metadata: { linkId: id, token: row.token_start, mode: row.mode, versionId: version.id },
      });
      return madeLink(ctx, row, place, token, keys.fragment);
    });
  });
}

/** @throws Problem as `requireGrantable` does; invalid CLIENT_ENCRYPTED, VALIDATION_ERROR */
async function requireLinkable(ctx: Context, actor: Actor, input: NewLink): Promise<Place> {
  const { mode, linkId, wrappedKey, ephemeralPublicKey, recipientPublicKey, expiresAt } = input;
  const place = await requireGrantable(ctx, actor, input.fileId, ['download']);
  if (mode === 'server_proxied' && place.container.client_encrypted === 1) throw clientEncrypted();
  const isEphemeral = mode === 'ephemeral_key_pair';
  assertBrought(
    place,
    { linkId, wrappedKey, ephemeralPublicKey },
    isEphemeral ? ['linkId', 'wrappedKey', 'ephemeralPublicKey'] : ['linkId', 'wrappedKey'],
  );
  if ((mode === 'recipient_public_key') !== (recipientPublicKey !== undefined))
    throw fieldProblem('recipientPublicKey', 'belongs to the mode recipient_public_key, which needs it');
  if (expiresAt !== undefined && Date.parse(expiresAt) <= ctx.clock.now())
    throw fieldProblem('expiresAt', 'must be in the future');
  return place;
}

interface Keys {
  /** hex */
  readonly ephemeral: string | null;
  readonly recipient: string | null;
  /** undefined: the node decrypts */
  readonly row: FileShareKeyRow | undefined;
  /** the private key, base64url */
  readonly fragment: string | undefined;
}

/** Not for use in a transaction. @throws Problem invalid VALIDATION_ERROR for a key that is no point of the curve */
async function keysOf(ctx: Context, id: string, input: NewLink, content: FileContentRow): Promise<Keys> {
  const { mode, wrappedKey, recipientPublicKey, ephemeralPublicKey } = input;
  const none = { ephemeral: null, recipient: null, row: undefined, fragment: undefined };
  if (mode === 'server_proxied') return none;
  const recipient = recipientPublicKey === undefined ? null : pointOf('recipientPublicKey', recipientPublicKey);
  const given = ephemeralPublicKey === undefined ? null : pointOf('ephemeralPublicKey', ephemeralPublicKey);
  if (wrappedKey !== undefined) {
    const row = sealedKey(ctx, id, content, fromHex(wrappedKey), await erasureKeyOf(ctx, content));
    return { ...none, ephemeral: given, recipient, row };
  }
  if (recipient !== null) return { ...none, recipient, row: await keyFor(ctx, id, content, fromHex(recipient)) };
  // The node forgets the private key: it is in the answer alone.
  const { privateKey, publicKey } = generateKeyPair(ctx.random);
  return {
    ...none,
    ephemeral: toHex(publicKey),
    row: await keyFor(ctx, id, content, publicKey),
    fragment: Buffer.from(privateKey).toString('base64url'),
  };
}

/** @returns 33 bytes, hex */
function pointOf(field: string, key: string): string {
  try {
    return toHex(compressPublicKey(fromHex(key)));
  } catch (cause) {
    throw cause instanceof CryptoError ? fieldProblem(field, 'is no point of the curve secp256k1') : cause;
  }
}

/** @throws Problem conflict LINKS_FULL */
async function assertRoom({ db }: Pick<Context, 'db'>, fileId: string): Promise<void> {
  const rows = await db
    .selectFrom('file_links')
    .select('id')
    .where('file_id', '=', fileId)
    .where('revoked_at', 'is', null)
    .execute();
  if (rows.length >= filevaultLimits.linksOfFile)
    throw new Problem('conflict', 'LINKS_FULL', 'The file has too many links. Revoke one first.');
}

function madeLink(
  ctx: Context,
  row: FileLinkRow,
  { node }: Place,
  token: string,
  fragment: string | undefined,
): MadeLink {
  const url = `${publicUrl(ctx)}/s/${token}`;
  return {
    id: row.id,
    token,
    url: fragment === undefined ? url : `${url}#${fragment}`,
    mode: row.mode,
    fileId: row.file_id,
    fileName: node.name,
    versionId: row.version_id,
    expiresAt: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
    maxAccessCount: row.max_count,
    accessCount: 0,
    passwordProtected: row.protected === 1,
    createdAt: new Date(row.created_at).toISOString(),
  };
}
