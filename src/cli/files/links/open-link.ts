import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Parts } from '../../../client/filevault/link-content.ts';
import type { LinkCaller } from '../../../client/filevault/link-info.ts';
import { linkSource, type Beginning } from '../../../client/filevault/link-source.ts';
import { Problem } from '../../../base/problem.ts';
import { safeFileName } from '../../mail/safe-name.ts';
import { alreadyThere, moveNew, sinkInto, unwritable } from '../../kit/body-files.ts';
import { copyTo } from '../../kit/pager.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { waitFor } from '../../kit/waiting.ts';
import type { AskedLink } from './open-keys.ts';
import { linkHash, openLinkPart, type PartOptions } from './open-part.ts';

export interface ReceivedLink {
  readonly path: string;
  readonly sizeBytes: number;
  /** whether this program has decrypted and compared every byte, so that the server needn't be trusted */
  readonly verified: boolean;
}

/** Where a file goes. While its name is not known, what was received of it is found by its link. */
export interface Target {
  readonly to: string;
  readonly isFolder: boolean;
  readonly part: string;
}

/** @param to a folder that is there, the path of the new file, or `-` for standard output */
export async function targetOf(to: string, caller: LinkCaller): Promise<Target> {
  const isFolder = to !== '-' && (await stat(to).catch(() => undefined))?.isDirectory() === true;
  const part = isFolder ? join(to, `conclave-${linkHash(caller).slice(0, 16)}.part`) : `${to}.part`;
  return { to, isFolder, part };
}

/** Writes the file of a link. Nothing is overwritten. What broke off goes on at the last part that was whole. */
export async function receiveLink(
  terminal: Terminal,
  { caller, info, opened }: AskedLink,
  { to, isFolder, part }: Target,
  patience?: Beginning['patience'],
): Promise<ReceivedLink> {
  const { plainParts, sealedParts } = await import('../../../client/filevault/link-content.ts');
  const parts = opened === undefined ? plainParts(info) : sealedParts(opened);
  const received = { sizeBytes: parts.size, verified: opened !== undefined };
  if (to === '-') {
    await copyTo(terminal.stdout, streamed(caller, parts, patience));
    return { path: '-', ...received };
  }
  const path = isFolder ? join(to, safeFileName(info.fileName, info.contentId)) : to;
  if ((await stat(path).catch(() => undefined)) !== undefined) throw alreadyThere(path);
  try {
    await waitFor(terminal, 'Receiving', async ({ report }) => {
      const onProgress = (done: number): void => report({ what: 'receiving', done, total: parts.size });
      await writeParts(caller, { path: part, asked: linkHash(caller), info, parts }, path, onProgress, patience);
    });
  } catch (error) {
    throw unwritable(path, error);
  }
  return { path, ...received };
}

function sentBefore(parts: Parts, place: number): number {
  let sum = 0;
  for (let before = 0; before < place; before += 1) sum += parts.sent(before);
  return sum;
}

async function* streamed(
  caller: LinkCaller,
  parts: Parts,
  patience: Beginning['patience'],
): AsyncGenerator<Uint8Array> {
  const beginning = {
    at: 0,
    total: sentBefore(parts, parts.count),
    onAnswer: async () => {},
    ...(patience && { patience }),
  };
  await using source = linkSource(caller, beginning);
  await source.begin();
  for (let place = 0; place < parts.count; place += 1) yield* parts.read(source, place);
}

async function writeParts(
  caller: LinkCaller,
  options: PartOptions,
  path: string,
  onProgress: (done: number) => void,
  patience: Beginning['patience'],
): Promise<void> {
  const { parts } = options;
  await using part = await openLinkPart(options);
  let done = 0;
  for (let place = 0; place < part.whole; place += 1) done += parts.plain(place);
  const sink = sinkInto(part.file, done);
  let added = 0;
  try {
    await using source = linkSource(caller, {
      at: sentBefore(parts, part.whole),
      total: sentBefore(parts, parts.count),
      grant: part.grant,
      etag: part.etag,
      onAnswer: async (known) => await part.know(known),
      ...(patience && { patience }),
    });
    if (part.whole < parts.count || parts.count === 0) await source.begin();
    for (let place = part.whole; place < parts.count; place += 1, added += 1) {
      const hash = createHash('sha256');
      for await (const piece of parts.read(source, place)) {
        await sink.write(piece);
        hash.update(piece);
        onProgress((done += piece.length));
      }
      await part.add(hash.digest('hex'));
    }
    await part.file.datasync();
    if ((await part.file.stat()).size !== parts.size)
      throw new Problem('conflict', 'NOTHING_CHANGED', `${part.path} was changed by another program. Try again.`);
    await moveNew(part.path, path);
    await part.remove();
  } catch (error) {
    if (part.whole + added > 0 && mayGoOn(error)) throw later(error);
    await part.remove();
    throw error;
  }
}

/** Whether the rest can be had later. */
function mayGoOn(error: unknown): error is Problem {
  return (
    error instanceof Problem &&
    (error.code === 'NETWORK' || ['unavailable', 'tooMany', 'internal', 'unauthenticated'].includes(error.kind))
  );
}

function later({ kind, code, message, retryAfterSeconds }: Problem): Problem {
  const kept = `${message} The received part is kept. Run the same command again to continue.`;
  return new Problem(kind, code, kept, { ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
}
