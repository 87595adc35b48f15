import type { Context } from '../../../service/context.ts';
import { topicName } from '../../../contract/event.ts';
import { hubTopic, socialEvents } from '../../../contract/social/events.ts';
import { fromUtf8, utf8 } from '../../../crypto/bytes.ts';
import { openRoomKeys, type RoomKeys } from '../../../shared/group-keys/keys.ts';
import { sealingEpoch } from '../../../shared/group-keys/on-demand.ts';
import type { Rotation } from '../../../shared/group-keys/rotate.ts';
import { publish } from '../../../platform/realtime/publish.ts';
import type { SocialPostRow } from '../../../platform/store/tables/social.ts';
import { roomOf } from '../hubs/access.ts';

/** What opens posts of encrypted hubs. */
export type Opening = Pick<Context, 'db' | 'keys' | 'random'>;

type Words = Pick<SocialPostRow, 'content' | 'warning' | 'mentions'>;
type Seals = Pick<SocialPostRow, 'sealed' | 'sealed_in' | 'epoch' | 'first_epoch' | 'revision'>;
/** `first_epoch` decides who may see it, `epoch` what opens it. */
type Row = Words & Seals & Pick<SocialPostRow, 'id' | 'author_id'>;

export const sealedColumns = [
  'content',
  'warning',
  'mentions',
  'sealed',
  'sealed_in',
  'epoch',
  'first_epoch',
  'revision',
] as const satisfies readonly (keyof (Words & Seals))[];

/** What is sealed, as JSON. */
interface Said extends Words {
  /** of its media, in their order */
  readonly altTexts: readonly string[];
}

/** Of a post that is in no encrypted hub. */
export const unsealed: Seals = { sealed: null, sealed_in: null, epoch: null, first_epoch: null, revision: null };

/**
 * The columns of a post in an encrypted hub, whose words are sealed under the key that the hub has now. It keeps this key until the transaction
 * ends: a change of its members waits, or was before and the post is under the new key.
 */
export async function sealedUnderCurrent(
  tx: Context,
  hubId: string,
  post: Row,
  altTexts: readonly string[],
): Promise<Words & Seals> {
  const rotated = async (rotation: Rotation) =>
    await publish(tx, topicName(hubTopic, hubId), socialEvents.hubKeyRotated, { hubId, ...rotation });
  return await sealedUnder(tx, hubId, await sealingEpoch(tx, roomOf(hubId), rotated), post, altTexts);
}

/** The same under the key of the epoch that it has. @param post with the revision that is stored next */
export async function sealedAgain(tx: Context, post: Row, altTexts: readonly string[]): Promise<Words & Seals> {
  if (post.sealed_in === null || post.epoch === null) throw new Error('the post is not sealed');
  return await sealedUnder(tx, post.sealed_in, post.epoch, post, altTexts);
}

async function sealedUnder(
  tx: Context,
  hubId: string,
  epoch: number,
  { id, author_id: senderId, first_epoch, revision, content, warning, mentions }: Row,
  altTexts: readonly string[],
): Promise<Words & Seals> {
  const said: Said = { content, warning, mentions, altTexts };
  const place = { epoch, senderId, messageId: id, revision: revision ?? 0 };
  using keys = await openRoomKeys(tx, roomOf(hubId), [epoch]);
  const sealed = keys.seal(place, utf8(JSON.stringify(said)));
  return {
    content: '',
    warning: '',
    mentions: '{}',
    sealed,
    sealed_in: hubId,
    epoch,
    first_epoch: first_epoch ?? epoch,
    revision: place.revision,
  };
}

export interface AltTexts {
  /** of its media, if they are sealed with it */
  readonly alt_texts?: readonly string[];
}

/**
 * The same posts with their words, in the same order. The caller has checked who may see them. Each hub's keys are read once. A post whose hub
 * was deleted meanwhile is missing, as its key is.
 *
 * @throws Problem internal STORE_DAMAGED
 */
export async function opened<R extends Row>(ctx: Opening, rows: readonly R[]): Promise<(R & AltTexts)[]> {
  const hubs = new Map<string, Sealed<R>[]>();
  for (const row of rows) if (isSealed(row)) hubs.set(row.sealed_in, [...(hubs.get(row.sealed_in) ?? []), row]);
  if (hubs.size === 0) return [...rows];
  const found = new Map<R, Said>();
  for (const [hubId, sealed] of hubs) {
    const epochs = sealed.map(({ epoch }) => epoch);
    using keys = await openRoomKeys(ctx, roomOf(hubId), epochs);
    for (const row of sealed) if (keys.has(row.epoch)) found.set(row, saidIn(row, keys));
  }
  return rows.flatMap((row) => {
    if (!isSealed(row)) return [row];
    const said = found.get(row);
    if (said === undefined) return [];
    const { altTexts, ...words } = said;
    return [{ ...row, ...words, alt_texts: altTexts }];
  });
}

type Sealed<R extends Row> = R & { readonly [Column in keyof Seals]: NonNullable<Seals[Column]> };

function isSealed<R extends Row>(row: R): row is Sealed<R> {
  return row.sealed !== null && row.sealed_in !== null && row.epoch !== null && row.revision !== null;
}

function saidIn({ id, author_id: senderId, epoch, revision, sealed }: Sealed<Row>, keys: RoomKeys): Said {
  return JSON.parse(fromUtf8(keys.open({ epoch, senderId, messageId: id, revision }, sealed))) as Said;
}
