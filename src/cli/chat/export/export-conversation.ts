import { join } from 'node:path';
import { Problem } from '../../../base/problem.ts';
import { persistently, type Patience } from '../../files/transfer/patience.ts';
import type { Teller } from '../../kit/waiting.ts';
import { differentNames, safeFileName } from '../../mail/safe-name.ts';
import { factsName, type ExportFolder } from './export-folder.ts';
import { openMessages } from './messages-file.ts';
import { putJson } from './own-files.ts';
import { removeUnfinished, saveFile } from './saved-files.ts';
import type { Source, SourceFile, SourceMessage } from './sources.ts';

/** What became of one conversation. */
export interface Exported {
  readonly id: string;
  readonly title: string;
  readonly folder: string;
  /** lines that are there now, and those that this run has written */
  readonly messages: number;
  readonly added: number;
  readonly attachments: number;
  /** messages that could not be opened, and files that could not be had */
  readonly unreadable: number;
}

interface Into {
  readonly path: string;
  readonly exported: ExportFolder;
  readonly report: Teller['report'];
  readonly patience: Patience;
}

/**
 * Writes what a conversation has behind the last message that is there. A message has its line when its files are there, so whatever ends this
 * process, a later run goes on behind it.
 * @throws Problem of the node and of the disk
 */
export async function exportConversation(source: Source, into: Into): Promise<Exported> {
  const { path, exported, report, patience } = into;
  const { id, title, lastSeq } = source;
  const what = `exporting ${source.name}`;
  const again = async <T>(work: () => Promise<T>): Promise<T> => await persistently(work, patience);
  const facts = await again(async () => await source.facts());
  const folder = await exported.folderFor(source, { ...facts, complete: false });
  const place = join(path, folder);
  await removeUnfinished(place);
  const count = { added: 0, attachments: 0, unreadable: 0 };
  await using file = await openMessages(place);
  if (file.lines > 0) await putJson(place, factsName, { ...facts, messages: file.lines, complete: false });
  for (let hasMore = true; hasMore;) {
    const after = file.last;
    const page = await again(async () => await source.page(after));
    for (const message of page.messages) {
      patience.signal?.throwIfAborted();
      if (message.seq <= file.last) throw outOfOrder(source);
      const names = namesOf(message);
      const attachments = [];
      for (const [at, one] of message.files.entries())
        attachments.push(await attached(place, one, names[at] ?? one.id, patience));
      await file.add({ ...message.line, seq: message.seq, attachments });
      count.added += 1;
      count.attachments += attachments.filter((one) => one.path !== null).length;
      if ('problem' in message.line || attachments.some((one) => one.path === null)) count.unreadable += 1;
      report({ what, done: message.seq, total: Math.max(lastSeq, message.seq) });
    }
    hasMore = page.hasMore && page.messages.length > 0;
  }
  await file.finish();
  await putJson(place, factsName, { ...facts, messages: file.lines, complete: true });
  return { id, title, folder, messages: file.lines, ...count };
}

/** They begin with the number of the message, so they stand in its order and are the same in every run. */
function namesOf({ seq, files }: SourceMessage): string[] {
  return differentNames(files.map(({ filename, id }) => `${seq}-${safeFileName(filename, id)}`));
}

/** What can be said of a file that is not there any more, or is not what the message has. Everything else may pass. */
const lost: ReadonlySet<string> = new Set(['ATTACHMENT_NOT_FOUND', 'MESSAGE_DAMAGED', 'DIGEST_MISMATCH']);

async function attached(place: string, file: SourceFile, name: string, patience: Patience) {
  const { id, filename, mimeType, size } = file;
  const described = { id, filename, mimeType, size };
  try {
    const save = async () => await saveFile(place, name, async (sink) => await file.write(sink, patience.signal));
    return { ...described, path: await persistently(save, patience) };
  } catch (error) {
    if (!(error instanceof Problem && lost.has(error.code))) throw error;
    return { ...described, path: null, problem: { code: error.code, message: error.message } };
  }
}

function outOfOrder({ name }: Source): Problem {
  return new Problem('network', 'BAD_REPLY', `The node answered messages of ${name} out of their order.`);
}
