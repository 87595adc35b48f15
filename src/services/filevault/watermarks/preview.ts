import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { toHex } from '../../../crypto/bytes.ts';
import { Problem } from '../../../base/problem.ts';
import type { FileContainerRow, FileNodeRow, FileVersionRow } from '../../../platform/store/tables/filevault.ts';
import { ID_BYTES } from './code.ts';
import { imageTypes } from '../../../shared/attachments/images/image-type.ts';
import { markTask, type MarkJob } from './task.ts';

/** Larger files are not marked: the thread needs the whole of it. */
const MOST_BYTES = 20 * 1024 ** 2;

const texts: ReadonlySet<string> = new Set(['text/plain', 'text/csv', 'text/markdown', 'application/json']);

/** A preview that shows who sees it. */
export interface MarkedPreview {
  readonly kind: MarkJob['kind'];
  readonly visible: boolean;
  /** of the access; undefined: no invisible watermark */
  readonly id: string | undefined;
}

/**
 * What has to be done with the preview of a file. Decided before anything is decrypted.
 * @returns undefined: the file has no watermark
 * @throws Problem conflict WATERMARK_IMPOSSIBLE
 */
export function watermarkOf(
  { random }: Pick<Context, 'random'>,
  { visible_watermark, invisible_watermark }: FileNodeRow,
  { mime_type, size }: FileVersionRow,
): MarkedPreview | undefined {
  if (visible_watermark === 0 && invisible_watermark === 0) return undefined;
  const type = mime_type.split(';', 1)[0]?.trim() ?? '';
  const kind = texts.has(type) ? 'text' : imageTypes.find((known) => known === type);
  if (kind === undefined) throw impossible('files of this type cannot be marked');
  if (size > MOST_BYTES) throw impossible('it is too large');
  return {
    kind,
    visible: visible_watermark === 1,
    id: invisible_watermark === 1 ? toHex(random(ID_BYTES)) : undefined,
  };
}

/** Keeps whose access a watermark is of, in the transaction that records the access. @param entry of the ledger */
export async function keepWatermark(
  tx: Context,
  { memberId, address }: Pick<Actor, 'memberId' | 'address'>,
  version: FileVersionRow,
  { id, container, entry }: { readonly id: string; readonly container: FileContainerRow; readonly entry: string },
): Promise<void> {
  await tx.db
    .insertInto('file_watermarks')
    .values({
      id,
      container_id: container.id,
      file_id: version.file_id,
      version_id: version.id,
      member_id: memberId,
      address,
      ledger_entry: entry,
      created_at: tx.clock.now(),
    })
    .execute();
}

/** Marks a file in a thread. @param bytes are transferred. @throws Problem conflict WATERMARK_IMPOSSIBLE */
export async function marked(
  ctx: Pick<Context, 'offload' | 'clock'>,
  actor: Pick<Actor, 'username'>,
  { kind, visible, id }: MarkedPreview,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const time = `${new Date(ctx.clock.now()).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const lines = kind === 'text' ? [`[Shown to ${actor.username} on ${time}]`] : [actor.username.slice(0, 32), time];
  const job = { kind, bytes, visible: visible ? lines : undefined, id };
  const done = await ctx.offload.run(markTask, job, { transfer: [bytes.buffer] });
  if ('impossible' in done) throw impossible(done.impossible);
  return done.bytes;
}

function impossible(why: string): Problem {
  const words = `The file is shown with a watermark alone, and that is not possible: ${why}.`;
  return new Problem('conflict', 'WATERMARK_IMPOSSIBLE', words);
}
