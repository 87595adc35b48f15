import type { Table, TableRow } from './csv-table.ts';
import { readTable } from './csv-table.ts';
import { addField, addTag, addUrl, finishRecord, newDraft } from './draft.ts';
import type { ImportRun, Skip } from './import-run.ts';
import { addStructuredNote } from './lastpass-note.ts';
import { expirationDateOf } from './moment.ts';
import type { ImportRecord } from './record.ts';

export function isLastPassTable({ columns }: Table): boolean {
  return (columns.has('grouping') && (columns.has('fav') || columns.has('extra'))) || isFormFill({ columns });
}

function isFormFill({ columns }: Pick<Table, 'columns'>): boolean {
  return columns.has('profilename') && columns.has('profilelanguage');
}

/** The address that stands for "no address, this is a secure note". */
const NOTE_URL = 'http://sn';

export async function importLastPassCsv(table: Table, run: ImportRun): Promise<void> {
  if (isFormFill(table)) return await importFormFills(table, run);
  // Exports of the web vault once wrote HTML entities. Undoing that could change a password that has one in it.
  if (/&(?:amp|lt|gt|quot|#\d{1,5});/.test(table.file.bytes.toString('latin1'))) {
    run.notice('Some cells look like HTML (such as &amp;). They were taken as they are.');
  }
  const isMangled = endsInCrCrLf(table);
  const take = (row: TableRow, number: number): ImportRecord | Skip => {
    const draft = newDraft();
    const url = row.take('url').trim();
    const written = row.take('extra');
    const extra = isMangled ? written.replaceAll('\r\r\n', '\r\n') : written;
    draft.title = row.take('name');
    draft.username = row.take('username');
    draft.password = row.take('password');
    draft.totps = [row.take('totp')].filter((totp) => totp !== '');
    draft.favorite = row.take('fav') === '1';
    const group = row.take('grouping').trim();
    if (group !== '(none)') addTag(draft, group.replaceAll('\\', '/'));
    if (url === NOTE_URL) {
      draft.type = 'secure_note';
      if (extra.startsWith('NoteType:')) addStructuredNote(draft, extra);
      else draft.notes = extra;
    } else {
      addUrl(draft, url);
      draft.notes = extra;
    }
    for (const { name, value } of row.rest()) addField(draft, name, value);
    return finishRecord(draft, number);
  };
  // Every row that it writes has all cells. Old exports didn't quote notes of several lines, which makes rows of each line.
  return await readTable(table, run, take, { whole: true });
}

/** Old exports were written through something that put a CR before each line end, also before those inside of notes. */
function endsInCrCrLf({ file }: Table): boolean {
  return /^[^\r\n]*\r\r\n/.test(file.bytes.toString('latin1', 0, 16 * 1024));
}

/** Profiles for filling in forms: a card where there is one, a note with the address otherwise; all else stays with it. */
async function importFormFills(table: Table, run: ImportRun): Promise<void> {
  const take = (row: TableRow, number: number): ImportRecord | Skip => {
    const draft = newDraft();
    draft.title = row.take('profilename');
    draft.notes = row.take('notes');
    draft.cardNumber = row.take('ccnum');
    draft.type = draft.cardNumber === '' ? 'secure_note' : 'credit_card';
    if (draft.type === 'credit_card') {
      draft.cardholderName = row.take('ccname');
      draft.cvv = row.take('cccsc');
      const expiry = row.take('ccexp');
      draft.expirationDate = expirationDateOf(expiry);
      if (draft.expirationDate === undefined) addField(draft, 'ccexp', expiry, false);
    }
    for (const { name, value } of row.rest()) addField(draft, name, value);
    return finishRecord(draft, number);
  };
  await readTable(table, run, take, { whole: true });
}
