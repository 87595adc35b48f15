import { basename } from 'node:path';
import { passvaultLimits } from '../../../contract/passvault/limits.ts';
import type { Attachment, Entry, VaultSummary } from '../../../contract/passvault/entry.ts';
import { passvault } from '../../../contract/passvault.ts';
import { Problem } from '../../../base/problem.ts';
import { oneNamed } from '../find-vault.ts';
import { readInputFile } from './input-file.ts';
import { writePrivateFile } from './output-file.ts';
import { performOn, type VaultSession } from '../session.ts';

/** Checks all files before the first is sent, so that an unreadable file prevents the whole upload. */
export async function addAttachments(
  session: VaultSession,
  vault: VaultSummary,
  { id: entryId }: Entry,
  files: readonly string[],
  mimeType: string | undefined,
): Promise<Attachment[]> {
  const read = await Promise.all(
    files.map(async (file) => ({
      filename: basename(file),
      bytes: await readInputFile(file, passvaultLimits.attachmentBytes),
    })),
  );
  const added: Attachment[] = [];
  for (const { filename, bytes } of read) {
    const { attachment } = await performOn(session, vault, passvault.addAttachment, {
      vaultId: vault.id,
      entryId,
      filename,
      content: bytes.toString('base64'),
      ...(mimeType !== undefined && { mimeType }),
    });
    added.push(attachment);
  }
  return added;
}

/** Writes an attachment to a private file, or to standard output. With `--json` and no file, the JSON contains it. */
export async function readAttachment(
  session: VaultSession,
  vault: VaultSummary,
  entry: Entry,
  name: string,
  { out, force, json }: { out?: string | undefined; force: boolean; json: boolean },
): Promise<Attachment & { readonly file?: string; readonly content?: string }> {
  const { id: attachmentId } = attachmentNamed(entry, name);
  const input = { vaultId: vault.id, entryId: entry.id, attachmentId };
  const { attachment } = await performOn(session, vault, passvault.showAttachment, input);
  const { content, ...details } = attachment;
  const bytes = Buffer.from(content, 'base64');
  const { stdout } = session.terminal;
  if (out !== undefined) {
    await writePrivateFile(out, bytes, { replace: force });
    return { ...details, file: out };
  }
  if (json) return attachment;
  // An attachment may contain any bytes, including terminal escapes.
  if (stdout.isTTY === true) throw new Problem('invalid', 'USAGE', 'Name the file that is to be written by --out.');
  await new Promise<void>((resolve, reject) => stdout.write(bytes, (error) => (error ? reject(error) : resolve())));
  return details;
}

export async function removeAttachment(
  session: VaultSession,
  vault: VaultSummary,
  entry: Entry,
  name: string,
): Promise<Attachment> {
  const attachment = attachmentNamed(entry, name);
  const input = { vaultId: vault.id, entryId: entry.id, attachmentId: attachment.id };
  await performOn(session, vault, passvault.removeAttachment, input);
  return attachment;
}

/** @throws Problem conflict AMBIGUOUS, missing ATTACHMENT_NOT_FOUND */
function attachmentNamed({ title, attachments }: Entry, name: string): Attachment {
  const named = attachments.map((one) => ({
    ...one,
    title: one.filename,
    label: `${one.filename}, ${one.sizeBytes} bytes`,
  }));
  const found = oneNamed(name, named);
  if (found !== undefined) return found;
  const message = `${JSON.stringify(title)} has no attachment ${JSON.stringify(name)}.${named.length === 0 ? '' : ' It has:'}`;
  throw new Problem('missing', 'ATTACHMENT_NOT_FOUND', message, {
    fields: named.map(({ id, label }) => ({ path: id, message: label })),
  });
}
