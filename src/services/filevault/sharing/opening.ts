import type { Guest } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { filevaultLimits } from '../../../contract/filevault/limits.ts';
import type { OpenedLink } from '../../../contract/filevault/links.ts';
import { RawJson } from '../../../contract/raw-json.ts';
import { toHex } from '../../../crypto/bytes.ts';
import type { ByteRange, Content, Download } from '../../../service/raw-bodies.ts';
import { openContent, readContent } from '../content/reading.ts';
import { sealedContent, sealedSize } from '../content/sealed.ts';
import { noted, recordAccess, watched, whileAllowed } from '../files/accesses.ts';
import { previewOf } from '../files/preview.ts';
import { noticeLinkOpened } from '../notices.ts';
import { fileDamaged, linkNotFound } from '../problems.ts';
import { isGranted, newGrant } from './grants.ts';
import { openSharedKey } from './keys.ts';
import { isLeft, linkOf, requireLive, stillLive, type LiveLink } from './live-links.ts';
import { requirePassword } from './passwords.ts';

interface Presented {
  readonly token: string;
  readonly password?: string | undefined;
  readonly sharePassword?: string | undefined;
  readonly grant?: string | undefined;
}

export async function openLink(
  ctx: Context,
  guest: Guest,
  { content: wanted, ...presented }: Presented & { readonly content: boolean },
): Promise<OpenedLink> {
  const { live } = await opened(ctx, guest, presented);
  const { link, node, version, content } = live;
  const wraps = link.mode === 'server_proxied' ? {} : await keysOf(ctx, guest, live);
  const facts = {
    id: link.id,
    fileId: node.id,
    contentId: content.id,
    fileName: node.name,
    mimeType: version.mime_type,
    sizeBytes: version.size,
    sealedBytes: sealedSize(content),
    chunkSize: content.chunk_size,
    mode: link.mode,
    ...(link.ephemeral_key !== null && { ephemeralPublicKey: link.ephemeral_key }),
    ...(link.recipient_key !== null && { recipientPublicKey: link.recipient_key }),
    ...wraps,
    contentUrl: `/filevault/share/link/${presented.token}/content`,
    expiresAt: link.expires_at === null ? null : new Date(link.expires_at).toISOString(),
    passwordProtected: link.protected === 1,
  };
  if (!wanted || version.size > filevaultLimits.inlineContent) return facts;
  const body = await bodyOf(ctx, guest, live);
  ctx.caller?.reserve(2 * Math.ceil(body.size / 3) * 4);
  const accessReceipt = await recorded(ctx, guest, live, { start: 0, end: body.size }, true);
  return { ...facts, encryptedContent: await base64Json(body), accessReceipt };
}

export async function downloadLink(ctx: Context, guest: Guest, presented: Presented): Promise<Download> {
  const { live, granted } = await opened(ctx, guest, presented);
  const { link, node, version, content } = live;
  const isPlain = link.mode === 'server_proxied';
  const body = await bodyOf(ctx, guest, live);
  return {
    type: isPlain ? previewOf(version.mime_type).type : 'application/octet-stream',
    ...(isPlain && { filename: node.name }),
    inline: false,
    headers: previewOf('').headers ?? {},
    version: isPlain ? content.id : `${content.id}.sealed`,
    content: { size: body.size, read: (range) => whileLive(ctx, guest, link.id, body.read(range)) },
    opening: async (range) => ({
      'x-access-receipt': await recorded(ctx, guest, live, range, !granted),
      ...(!granted && { 'x-share-grant': newGrant(ctx, link.id) }),
    }),
  };
}

/** The link, if the caller may open it. Nothing of the file is known before the password was right. */
async function opened(ctx: Context, guest: Guest, presented: Presented): Promise<{ live: LiveLink; granted: boolean }> {
  const link = await linkOf(ctx, presented.token);
  const granted = link !== undefined && isGranted(ctx, link.id, presented.grant);
  if (link === undefined || (link.revoked_at === null && !isLeft(granted ? uncounted(link) : link, ctx.clock.now())))
    throw linkNotFound();
  const live = await requireLive(ctx, guest.address, link);
  if (!granted) await requirePassword(ctx, link, presented.sharePassword ?? presented.password);
  return { live, granted };
}

/** A grant is for an access that was counted already. */
function uncounted(link: LiveLink['link']): LiveLink['link'] {
  return { ...link, max_count: null };
}

/** What the client needs to decrypt it. */
async function keysOf(
  ctx: Context,
  guest: Guest,
  { link, node, container, content }: LiveLink,
): Promise<{ wrappedKey: string; manifest: string }> {
  const row = await ctx.db
    .selectFrom('file_share_keys')
    .selectAll()
    .where('share_id', '=', link.id)
    .where('content_id', '=', content.id)
    .executeTakeFirst();
  const damaged = noted(ctx, guest, { containerId: container.id, nodeId: node.id });
  if (row === undefined || content.manifest === null) return await damaged(fileDamaged());
  const message = await openSharedKey(ctx, row, content).catch(damaged);
  return { wrappedKey: toHex(message), manifest: Buffer.from(content.manifest).toString('base64') };
}

/** The content as the link's mode sends it. */
async function bodyOf(ctx: Context, guest: Guest, { link, node, container, content }: LiveLink): Promise<Content> {
  const found = { containerId: container.id, nodeId: node.id };
  if (link.mode !== 'server_proxied') {
    const open =
      container.client_encrypted === 1 ? undefined : await openContent(ctx, content.id).catch(noted(ctx, guest, found));
    const sealed = sealedContent(ctx, content, open && ((range) => readContent(ctx, open, range)));
    return { size: sealed.size, read: (range) => watched(ctx, guest, found, sealed.read(range)) };
  }
  const plain = await openContent(ctx, content.id).catch(noted(ctx, guest, found));
  return { size: plain.manifest.size, read: (range) => watched(ctx, guest, found, readContent(ctx, plain, range)) };
}

/** Counts an access, unless a grant stands for it, and records it. Both are durable before the first byte leaves. */
async function recorded(
  ctx: Context,
  guest: Guest,
  { link, version }: LiveLink,
  range: ByteRange,
  counted: boolean,
): Promise<string> {
  return await recordAccess(ctx, guest, link.file_id, range, async (tx) => {
    const { node, container } = await stillLive(tx, guest.address, link.id);
    if (counted && (await count(tx, link.id)) === 1)
      await noticeLinkOpened(tx, { makerId: link.created_by, shareId: link.id, item: node });
    const metadata = { linkId: link.id, token: link.token_start, versionId: version.id, counted };
    return { node, container, action: 'SHARE_LINK_ACCESSED', metadata };
  });
}

/** One statement compares and adds, so that a link is never opened more often than it may be. @returns how often it was opened */
async function count({ db, clock }: Context, id: string): Promise<number> {
  const counted = await db
    .updateTable('file_links')
    .set((e) => ({ access_count: e('access_count', '+', 1) }))
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where((e) => e.or([e('max_count', 'is', null), e('access_count', '<', e.ref('max_count'))]))
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', clock.now())]))
    .returning('access_count')
    .executeTakeFirst();
  if (counted === undefined) throw linkNotFound();
  return counted.access_count;
}

/** Ends with the link: what revokes it, and the destruction of the file, reach a body on its way. */
function whileLive(ctx: Context, { address }: Guest, id: string, body: AsyncIterable<Uint8Array>) {
  return whileAllowed(body, async () => await stillLive(ctx, address, id));
}

/** A JSON text of the content in base64, made piece by piece, because all of it at once would keep others waiting. */
async function base64Json(body: Content): Promise<RawJson> {
  const out = Buffer.alloc(Math.ceil(body.size / 3) * 4 + 2, '"');
  let at = 1;
  let rest: Uint8Array = new Uint8Array();
  for await (const piece of body.read({ start: 0, end: body.size })) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const whole = bytes.length - (bytes.length % 3);
    at += out.write(Buffer.from(bytes.buffer, bytes.byteOffset, whole).toString('base64'), at, 'latin1');
    rest = bytes.slice(whole);
  }
  out.write(Buffer.from(rest).toString('base64'), at, 'latin1');
  return new RawJson(out);
}
