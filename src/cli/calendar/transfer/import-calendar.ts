import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../../client/client.ts';
import { perform } from '../../../client/perform.ts';
import { calendar } from '../../../contract/calendar.ts';
import type { CalendarImport, ImportResult } from '../../../contract/calendar/export.ts';
import { uploadFile } from '../../kit/call-bytes.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { waitFor } from '../../kit/waiting.ts';

const LOOK_MS = 500;

export interface GivenImport {
  readonly calendarId: string;
  readonly duplicateMode: string;
  /** `-`: standard input */
  readonly file: string;
}

/** One of them, or both of a file that was read in the background. */
export interface SentImport {
  readonly result?: ImportResult | undefined;
  readonly import?: CalendarImport | undefined;
}

/** Sends a file and waits until it is read. Without a server nobody reads a large one, and there is nothing to wait for. */
export async function importCalendar(
  terminal: Terminal,
  client: Client,
  { calendarId, duplicateMode, file }: GivenImport,
): Promise<SentImport> {
  const sent = { body: file, type: 'text/calendar' };
  const reply = await uploadFile(terminal, client, calendar.importIcs, { calendarId, duplicateMode }, sent);
  const { result, import: begun } = reply as SentImport;
  if (begun === undefined || client.connection.kind === 'process') return { result, import: begun };
  return await waitFor(terminal, 'Importing', async ({ report }) => {
    for (let now = begun; ;) {
      if (now.state !== 'pending') return { result: now.result, import: now };
      report({ what: 'events', done: now.done, total: now.total });
      await sleep(LOOK_MS);
      now = (await perform(client, calendar.showImport, { calendarId, id: begun.id })).import;
    }
  });
}
