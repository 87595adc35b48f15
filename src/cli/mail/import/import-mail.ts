import { upload } from '../../../client/bodies.ts';
import type { Caller } from '../../../client/perform.ts';
import { mail } from '../../../contract/mail.ts';
import type { Folder } from '../../../contract/mail/limits.ts';
import type { ReplyOf } from '../../../contract/operation.ts';
import { Problem } from '../../../base/problem.ts';
import type { Teller } from '../../kit/waiting.ts';
import type { MaildirState } from '../files/maildir.ts';
import { patiently } from '../transfer/patience.ts';
import { sourcesAt, type Source } from './sources.ts';

export interface ImportChoice {
  /** undefined: where a Maildir has the message, the trash for what an mbox has as deleted, and else the inbox */
  readonly folder: Folder | undefined;
  readonly label: string | undefined;
  readonly skipDuplicates: boolean;
  /** marks as read whatever has no flags of its own */
  readonly read: boolean;
}

export interface ImportOutcome {
  readonly imported: number;
  /** messages that their folder has already */
  readonly skipped: number;
  readonly failed: readonly { readonly source: string; readonly message: string }[];
}

/** One message that is put into a folder of the mailbox. */
export interface GivenMessage {
  readonly folder: Folder;
  readonly label?: string | undefined;
  readonly state: MaildirState;
  /** milliseconds since 1970 */
  readonly receivedAt: number | undefined;
  readonly unlessPresent: boolean;
  readonly pieces: () => AsyncIterable<Uint8Array>;
}

/**
 * Imports the messages of files and folders one after the other. What is wrong with one message is told with it at the end.
 *
 * @throws Problem for what would go wrong with every message
 */
export async function importMail(
  caller: Caller,
  paths: readonly string[],
  choice: ImportChoice,
  { report }: Teller,
): Promise<ImportOutcome> {
  const files = (await Promise.all(paths.map(sourcesAt))).flat();
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const failed: { source: string; message: string }[] = [];
  const counts = { imported: 0, skipped: 0 };
  let before = 0;
  for (const { bytes, messages } of files) {
    for await (const source of messages()) {
      try {
        const { imported } = await importMessage(caller, chosen(source, choice));
        counts[imported ? 'imported' : 'skipped'] += 1;
      } catch (error) {
        if (!isOfOneMessage(error)) throw soFar(error, counts.imported + counts.skipped);
        failed.push({ source: source.name, message: error.message });
      }
      report({ what: `${counts.imported + counts.skipped} messages`, done: before + source.reached, total });
    }
    before += bytes;
  }
  return { ...counts, failed };
}

function chosen({ state, receivedAt, mailbox, pieces }: Source, choice: ImportChoice): GivenMessage {
  const own = choice.folder === undefined ? mailbox : undefined;
  const label = own !== undefined && 'label' in own ? own.label : undefined;
  const folder = own !== undefined && 'folder' in own ? own.folder : label === undefined ? 'inbox' : 'archive';
  return {
    folder: choice.folder ?? folder,
    label: choice.label ?? label,
    state: { ...state, read: state.read || choice.read },
    receivedAt,
    unlessPresent: choice.skipDuplicates,
    pieces,
  };
}

/** @throws Problem as `mail.import` does */
export async function importMessage(
  caller: Caller,
  { folder, label, state, receivedAt, unlessPresent, pieces }: GivenMessage,
): Promise<ReplyOf<typeof mail.importMessage>> {
  const input = {
    folder,
    label,
    read: state.read ? ('true' as const) : ('false' as const),
    keywords: state.keywords.filter((one) => one !== '$draft'),
    receivedAt: receivedAt === undefined ? undefined : new Date(receivedAt).toISOString(),
    unlessPresent: unlessPresent ? ('true' as const) : ('false' as const),
  };
  return await patiently(() => upload(caller, mail.importMessage, input, { type: 'message/rfc822', pieces }));
}

/** Whether other messages can be imported nevertheless. */
export function isOfOneMessage(error: unknown): error is Problem {
  if (!(error instanceof Problem) || error.code === 'STORAGE_QUOTA_EXCEEDED') return false;
  // One that collides at the server, or that it fails with, is one of many too.
  return ['invalid', 'tooLarge', 'unsupported', 'conflict', 'internal'].includes(error.kind);
}

function soFar(error: unknown, count: number): unknown {
  if (!(error instanceof Problem) || count === 0) return error;
  const { kind, code, message, fields } = error;
  const words = `${message} ${count} messages were imported before. Run the command again with --skip-duplicates.`;
  return new Problem(kind, code, words, { fields, cause: error });
}
