import { isUtf8 } from 'node:buffer';
import type { Work } from '../../../service/ports/task.ts';
import { encodePng } from '../../../shared/attachments/images/codec.ts';
import { decode } from '../../../shared/attachments/images/decode.ts';
import { imageTypeOf, type ImageType } from '../../../shared/attachments/images/image-type.ts';
import { codeIn, drawLines, hideCode } from './image.ts';
import { Unreadable } from '../../../shared/attachments/images/unreadable.ts';
import type { Marked, MarkJob } from './task.ts';
import { idsInText, markText } from './text.ts';

/** Bytes, as of a text that is marked. Some lines of it are enough, so what is as large as an image is not searched to its end. */
const MOST_TEXT = 20 * 1024 ** 2;

/** Formats that don't keep the lowest bits of a pixel. */
const lossy: ReadonlySet<ImageType> = new Set(['image/gif', 'image/jpeg']);

export const markWork: Work<MarkJob, Marked> = async (job, thread) => {
  try {
    const bytes = job.kind === 'text' ? markedText(job) : await markedImage(job);
    thread.transfer.push(bytes.buffer);
    return { bytes };
  } catch (error) {
    if (error instanceof Unreadable) return { impossible: error.message };
    throw error;
  }
};

/** @throws Unreadable */
function markedText({ bytes, visible, id }: MarkJob): Uint8Array<ArrayBuffer> {
  if (!isUtf8(bytes)) throw new Unreadable('the text is not UTF-8');
  return markText(bytes, { visible: visible?.join(' '), id });
}

/** @throws Unreadable */
async function markedImage({ kind, bytes, visible, id }: MarkJob): Promise<Uint8Array<ArrayBuffer>> {
  const type = imageTypeOf(bytes);
  if (type !== undefined && type !== kind) throw new Unreadable(`it says ${kind} and is ${type}`);
  const pixels = await decode(bytes);
  if (visible !== undefined) drawLines(pixels, visible);
  // Last, because drawing changes the bits that hide it.
  if (id !== undefined) hideCode(pixels, id);
  return encodePng(pixels);
}

export const readMarkWork: Work<Uint8Array, string[]> = async (bytes) => {
  const type = imageTypeOf(bytes);
  if (type === undefined) return idsInText(Buffer.from(bytes.subarray(0, MOST_TEXT)).toString('utf8'));
  if (lossy.has(type)) return [];
  try {
    const id = codeIn(await decode(bytes));
    return id === undefined ? [] : [id];
  } catch (error) {
    if (error instanceof Unreadable) return [];
    throw error;
  }
};
