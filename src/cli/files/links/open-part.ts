import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import * as v from 'valibot';
import { isOfLivingProcess, openMine } from '../../kit/kept-part.ts';
import type { Parts } from '../../../client/filevault/link-content.ts';
import { linkInfo, type LinkInfo } from '../../../client/filevault/link-info.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants;
const BUFFER = 1024 * 1024;

const headSchema = v.object({
  /** SHA-256 of the link */
  asked: v.string(),
  /** the server says it no more when the link is used up */
  info: linkInfo,
  pid: v.pipe(v.number(), v.integer(), v.minValue(1)),
  grant: v.optional(v.string()),
  etag: v.optional(v.string()),
});

type Head = v.InferOutput<typeof headSchema>;

/** A file that is being received: `FILE.part`, and beside it a log with a hash for each part that is whole. */
export interface LinkPart extends AsyncDisposable {
  readonly file: FileHandle;
  readonly path: string;
  /** how many parts are whole */
  readonly whole: number;
  readonly grant: string | undefined;
  readonly etag: string | undefined;
  /** what a later process needs, so that going on is no further access */
  know(known: Pick<Head, 'grant' | 'etag'>): Promise<void>;
  /** @param hash of the next part, SHA-256 hex */
  add(hash: string): Promise<void>;
  remove(): Promise<void>;
}

export interface PartOptions {
  /** ends in `.part` */
  readonly path: string;
  /** from `linkHash` */
  readonly asked: string;
  readonly info: LinkInfo;
  readonly parts: Parts;
}

/** @returns the name of a link that tells nobody the link */
export function linkHash({ place, token }: { readonly place: string; readonly token: string }): string {
  return createHash('sha256')
    .update(JSON.stringify([place, token]))
    .digest('hex');
}

/** What an earlier process heard of the same link, if it left something that can be gone on with. */
export async function leftInfo(path: string, asked: string): Promise<LinkInfo | undefined> {
  const left = await claimed(path, asked);
  await left?.file.close();
  await left?.log.close();
  return left?.head.info;
}

/**
 * Goes on with what an earlier process left, as far as its bytes are still what it wrote, or begins anew. Files of others, and names that are
 * taken by something else, are left alone.
 */
export async function openLinkPart({ path: wanted, asked, info, parts }: PartOptions): Promise<LinkPart> {
  const left = await claimed(wanted, asked);
  if (left !== undefined) {
    // The same link may lead to a newer content. What is there of another one is only in the way.
    const isSame = left.head.info.contentId === info.contentId;
    return await goneOn({ ...left, ...(!isSame && { hashes: [], head: { asked, info, pid: process.pid } }) }, parts);
  }
  const path = await freeName(wanted);
  const file = await open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  const log = await open(logOf(path), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  return await begun({ path, file, log, hashes: [], head: { asked, info, pid: process.pid } });
}

interface Left {
  readonly path: string;
  readonly file: FileHandle;
  readonly log: FileHandle;
  readonly head: Head;
  readonly hashes: string[];
}

const logOf = (path: string): string => `${path}.log`;

async function begun({ path, file, log, hashes, head }: Left): Promise<LinkPart> {
  let known: Head = { ...head, pid: process.pid };
  let end = 0;
  // A process that ends in between leaves a last line that counts for nothing.
  const write = async (): Promise<void> => {
    const text = `${[JSON.stringify(known), ...hashes].join('\n')}\n`;
    end = (await log.write(text, 0)).bytesWritten;
    await log.truncate(end);
  };
  await write();
  return {
    file,
    path,
    whole: hashes.length,
    grant: head.grant,
    etag: head.etag,
    async know({ grant, etag }) {
      if (grant === known.grant && etag === known.etag) return;
      const { asked, info, pid } = known;
      known = { asked, info, pid, ...(grant !== undefined && { grant }), ...(etag !== undefined && { etag }) };
      await write();
    },
    async add(hash) {
      hashes.push(hash);
      end += (await log.write(`${hash}\n`, end)).bytesWritten;
    },
    async remove() {
      await rm(path, { force: true });
      await rm(logOf(path), { force: true });
    },
    async [Symbol.asyncDispose]() {
      await file.close();
      await log.close();
    },
  };
}

/** Compares the parts with their hashes, and cuts off what is not whole. */
async function goneOn(left: Left, parts: Parts): Promise<LinkPart> {
  const sound: string[] = [];
  let at = 0;
  for (const hash of left.hashes.slice(0, parts.count)) {
    const length = parts.plain(sound.length);
    if ((await hashOf(left.file, at, length)) !== hash) break;
    sound.push(hash);
    at += length;
  }
  await left.file.truncate(at);
  return await begun({ ...left, hashes: sound });
}

async function hashOf(file: FileHandle, from: number, length: number): Promise<string | undefined> {
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(Math.min(BUFFER, length));
  for (let done = 0; done < length;) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, length - done), from + done);
    if (bytesRead === 0) return undefined;
    hash.update(buffer.subarray(0, bytesRead));
    done += bytesRead;
  }
  return hash.digest('hex');
}

/** @returns undefined if there is nothing of this link, of this user, and of a process that has ended */
async function claimed(path: string, asked: string): Promise<Left | undefined> {
  const [file, log] = [await openMine(path).catch(() => undefined), await openMine(logOf(path)).catch(() => undefined)];
  if (file !== undefined && log !== undefined) {
    const [first = '', ...lines] = (await log.readFile('utf8')).split('\n');
    const head = headIn(first);
    if (head?.asked === asked && !isOfLivingProcess(head.pid)) {
      const end = lines.findIndex((line) => !/^[0-9a-f]{64}$/.test(line));
      return { path, file, log, head, hashes: lines.slice(0, end < 0 ? lines.length : end) };
    }
  }
  await file?.close();
  await log?.close();
  return undefined;
}

function headIn(line: string): Head | undefined {
  try {
    const parsed = v.safeParse(headSchema, JSON.parse(line));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}

async function freeName(path: string): Promise<string> {
  for (const name of [path, logOf(path)]) {
    const there = await open(name, O_RDWR | O_NOFOLLOW).catch(
      (error: unknown) => (error as NodeJS.ErrnoException).code,
    );
    if (there === 'ENOENT') continue;
    if (typeof there === 'object') await there.close();
    return path.replace(/\.part$/, `.${randomBytes(6).toString('hex')}.part`);
  }
  return path;
}
