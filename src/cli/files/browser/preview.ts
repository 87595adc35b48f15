import { download } from '../../../client/bodies.ts';
import type { Client } from '../../../client/client.ts';
import type { FileItem } from '../../../contract/filevault/fields.ts';
import { filevault } from '../../../contract/filevault.ts';
import { linesWithin } from '../../kit/canvas.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { bytes } from '../../kit/screen.ts';
import type { Ciphers } from '../ciphers.ts';
import { sourcesOf } from '../transfer/source.ts';
import type { Browsing } from './browsing.ts';
import { previewHelp } from './help.ts';

/** How much of a file is shown; nobody reads more on a terminal. */
const LONGEST = 256 * 1024;

/** Shows the beginning of a text. @returns what to tell the person afterwards */
export async function previewText(full: Browsing, file: FileItem): Promise<string> {
  const { canvas, keyboard, measure } = full;
  const head = await headOf(full, file);
  if (head.includes(0)) return `${file.name} is no text. Ctrl-G downloads it.`;
  const text = new TextDecoder().decode(head);
  const isPart = file.sizeBytes > head.length;
  const title = escapeForTerminal(
    `${file.name}  ${bytes(file.sizeBytes)}${isPart ? `, the first ${bytes(head.length)}` : ''}`,
  );
  let top = 0;
  for (;;) {
    const safe = text
      .replaceAll('\r\n', '\n')
      .replaceAll('\t', '    ')
      .split('\n')
      .map((line) => escapeForTerminal(line))
      .join('\n');
    const lines = linesWithin(safe, canvas.width(), measure);
    const room = canvas.height();
    const last = Math.max(0, lines.length - room);
    top = Math.max(0, Math.min(last, top));
    canvas.draw(title, lines.slice(top, top + room), '', previewHelp);
    const key = await keyboard.next();
    if (['q', 'escape', 'left', 'backspace'].includes(key)) return '';
    const steps: Readonly<Record<string, number>> = {
      down: 1,
      return: 1,
      up: -1,
      space: room - 1,
      pagedown: room - 1,
      b: 1 - room,
      pageup: 1 - room,
      g: -top,
      home: -top,
      G: last - top,
      end: last - top,
    };
    top += steps[key] ?? 0;
  }
}

/** The first bytes. The rest of the answer is not waited for. */
async function headOf({ use, ciphers }: Browsing, file: FileItem): Promise<Buffer> {
  return await use(async (client) => {
    const stop = new AbortController();
    const isSealed = (await ciphers(client)(file.vaultContainerId)) !== undefined;
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const piece of isSealed
      ? await sealedHead(client, ciphers(client), file)
      : await shownHead(client, file, stop.signal)) {
      pieces.push(piece);
      size += piece.length;
      if (size >= LONGEST) break;
    }
    stop.abort();
    return Buffer.concat(pieces).subarray(0, LONGEST);
  });
}

async function sealedHead(client: Client, ciphers: Ciphers, file: FileItem): Promise<AsyncIterable<Uint8Array>> {
  const source = await sourcesOf(client, ciphers)(file);
  return source.read({ start: 0, end: Math.min(LONGEST, source.size) });
}

async function shownHead(client: Client, { id }: FileItem, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  return (await download(client, filevault.previewFile, { id }, { signal })).body;
}
