import type { Work } from '../../../offload/task.ts';
import { decodeBmp, isBmp } from './bmp.ts';
import { codeIn, drawLines, hideCode } from './image.ts';
import { Unreadable, type Pixels } from './pixels.ts';
import { decodePng, encodePng, isPng } from './png.ts';
import type { Marked, MarkJob } from './task.ts';
import { idsInText, markText } from './text.ts';

export const markWork: Work<MarkJob, Marked> = (job, thread) => {
  try {
    const bytes = job.kind === 'text' ? markedText(job) : markedImage(job);
    thread.transfer.push(bytes.buffer);
    return { bytes };
  } catch (error) {
    if (error instanceof Unreadable) return { impossible: error.message };
    throw error;
  }
};

function markedText({ bytes, visible, id }: MarkJob): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(markText(textOf(bytes), { visible: visible?.join(' '), id })));
}

/** @throws Unreadable */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Unreadable('the text is not UTF-8', { cause });
  }
}

function markedImage({ bytes, visible, id }: MarkJob): Uint8Array<ArrayBuffer> {
  const pixels = pixelsOf(bytes);
  if (visible !== undefined) drawLines(pixels, visible);
  // Last, because drawing changes the bits that hide it.
  if (id !== undefined) hideCode(pixels, id);
  return encodePng(pixels);
}

/** By what the file is, not by what it is called. @throws Unreadable */
function pixelsOf(bytes: Uint8Array): Pixels {
  if (isPng(bytes)) return decodePng(bytes);
  if (isBmp(bytes)) return decodeBmp(bytes);
  throw new Unreadable('it is neither PNG nor BMP');
}

export const readMarkWork: Work<Uint8Array, string[]> = (bytes) => {
  if (!isPng(bytes) && !isBmp(bytes)) return idsInText(Buffer.from(bytes).toString('utf8'));
  try {
    const id = codeIn(pixelsOf(bytes));
    return id === undefined ? [] : [id];
  } catch (error) {
    if (error instanceof Unreadable) return [];
    throw error;
  }
};
