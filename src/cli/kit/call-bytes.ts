import { download, downloadTo, upload, type SentContent } from '../../client/bodies.ts';
import type { Caller } from '../../client/perform.ts';
import type { BodyOperation, Operation, RawOperation, ReplyOf, UploadOperation } from '../../contract/operation.ts';
import { Problem } from '../../base/problem.ts';
import { contentOfFile, writeInRuns, writeWhole } from './body-files.ts';
import { copyTo } from './pager.ts';
import type { Terminal } from './terminal.ts';
import { waitFor } from './waiting.ts';

export interface ByteFlags {
  readonly body?: string | undefined;
  readonly type?: string | undefined;
  readonly output?: string | undefined;
}

/** @throws Problem invalid USAGE for flags that this operation does not use, or that it needs and are missing */
export function checkByteFlags(operation: Operation, { body, type, output }: ByteFlags): void {
  const accepts = operation.form === 'json' ? [] : operation.accepts;
  if (accepts.length === 0 && (body ?? type) !== undefined) throw usage(`${operation.id} accepts no body.`);
  if (accepts.length > 0 && body === undefined) throw usage(`${operation.id} needs a body. Give its file with --body.`);
  if (operation.form !== 'raw' && output !== undefined)
    throw usage(`${operation.id} is not a download. Leave --output out.`);
}

/** Sends a file and returns the reply. */
export async function uploadFile(
  terminal: Terminal,
  client: Caller,
  operation: UploadOperation,
  input: Record<string, unknown>,
  flags: ByteFlags,
): Promise<ReplyOf<UploadOperation>> {
  return await waitFor(terminal, 'Sending', async ({ report }) => {
    const content = await contentFor(terminal, operation, flags);
    const onProgress = (done: number, total: number): void => report({ what: 'sending', done, total });
    return await upload(client, operation, input, content, { onProgress });
  });
}

/** Writes the answer of an operation to standard output, or to a new file. */
export async function downloadFile(
  terminal: Terminal,
  client: Caller,
  operation: RawOperation,
  input: Record<string, unknown>,
  flags: ByteFlags,
): Promise<void> {
  const { output } = flags;
  if (operation.accepts.length > 0 || output === undefined) {
    const content = operation.accepts.length > 0 ? await contentFor(terminal, operation, flags) : undefined;
    const { body } = await download(client, operation, input, content && { content });
    if (output === undefined) await copyTo(terminal.stdout, body);
    else
      await writeWhole(output, async (sink) => {
        for await (const piece of body) await sink.write(piece);
      });
    return;
  }
  await waitFor(terminal, 'Receiving', async ({ report }) => {
    const onProgress = (done: number, total: number): void => report({ what: 'receiving', done, total });
    const asked = [client.place, operation.id, input];
    await writeInRuns(output, asked, async (sink, runs) => {
      await downloadTo(client, operation, input, sink, { onProgress, ...runs });
    });
  });
}

async function contentFor(terminal: Terminal, { accepts }: BodyOperation, flags: ByteFlags): Promise<SentContent> {
  const only = accepts.length === 1 && !accepts[0]?.includes('*') ? accepts[0] : undefined;
  return await contentOfFile(terminal, flags.body ?? '-', flags.type ?? only ?? 'application/octet-stream');
}

function usage(message: string): Problem {
  return new Problem('invalid', 'USAGE', message);
}
