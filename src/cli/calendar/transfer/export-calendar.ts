import { text } from 'node:stream/consumers';
import { download, type Sink } from '../../../client/bodies.ts';
import type { Caller } from '../../../client/perform.ts';
import { calendar } from '../../../contract/calendar.ts';
import type { RawOperation } from '../../../contract/operation.ts';
import { writeWhole } from '../../kit/body-files.ts';
import { downloadFile } from '../../kit/call-bytes.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { waitFor } from '../../kit/waiting.ts';

/** Names of formats, as a person says them. */
export const calendarFormats = ['ics', 'json', 'jcal', 'jscalendar'] as const;
export type CalendarFormat = (typeof calendarFormats)[number];

interface Request {
  readonly operation: RawOperation;
  readonly input: Record<string, unknown>;
}

function requestFor(calendarId: string, format: CalendarFormat): Request {
  if (format === 'ics') return { operation: calendar.exportIcs, input: { calendarId } };
  return { operation: calendar.exportJson, input: { calendarId, format: format === 'json' ? 'native' : format } };
}

/** @param options `output`: a file, or else standard output; `replace`: also if the file exists */
export async function exportCalendar(
  terminal: Terminal,
  client: Caller,
  calendarId: string,
  format: CalendarFormat,
  { output, replace }: { readonly output: string | undefined; readonly replace: boolean },
): Promise<void> {
  const { operation, input } = requestFor(calendarId, format);
  if (output === undefined || !replace) return await downloadFile(terminal, client, operation, input, { output });
  await waitFor(terminal, 'Receiving', async () => {
    const { body } = await download(client, operation, input);
    const write = async (sink: Sink): Promise<void> => {
      for await (const piece of body) await sink.write(piece);
    };
    await writeWhole(output, write, { replace });
  });
}

export async function exportedText(client: Caller, calendarId: string, format: CalendarFormat): Promise<string> {
  const { operation, input } = requestFor(calendarId, format);
  const { body } = await download(client, operation, input);
  return await text(body);
}
