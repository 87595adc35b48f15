import { type Table, type TableRow, readTable } from './csv-table.ts';
import { addField, addTag, addUrl, finishRecord, newDraft, type Draft } from './draft.ts';
import type { ImportRun, Skip } from './import-run.ts';
import { expirationDateOf, expirationDate } from './moment.ts';
import type { ImportRecord } from './record.ts';
import { linesOf, staysInPem } from './text-lines.ts';

export function isLastPassTable({ columns }: Table): boolean {
  return (columns.has('grouping') && (columns.has('fav') || columns.has('extra'))) || isFormFill({ columns });
}

function isFormFill({ columns }: Pick<Table, 'columns'>): boolean {
  return columns.has('profilename') && columns.has('profilelanguage');
}

/** The URL that marks a secure note without an address. */
const NOTE_URL = 'http://sn';

export async function importLastPassCsv(table: Table, run: ImportRun): Promise<void> {
  if (isFormFill(table)) return await importFormFills(table, run);
  // Exports of the web vault once contained HTML entities. Decoding them could change a password that really contains one.
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
  // LastPass writes all cells of every row. Old exports didn't quote multi-line notes, so each line became a row.
  return await readTable(table, run, take, { whole: true });
}

/** Old exports have an additional CR before each line end, also inside notes. */
function endsInCrCrLf({ file }: Table): boolean {
  return /^[^\r\n]*\r\r\n/.test(file.bytes.toString('latin1', 0, 16 * 1024));
}

/** Form-fill profiles. One with card data becomes a card, any other becomes a note with the address. All other fields are kept. */
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

/**
 * Reads the fields of a typed note: one `Name:value` a line, with `Notes` last and maybe over several lines. Cards become cards. All other
 * types (addresses, bank accounts, keys, user-defined types …) stay notes with every field.
 */
function addStructuredNote(draft: Draft, text: string): void {
  const { type, fields, notes } = parseNote(text);
  draft.notes = notes;
  if (type === 'Credit Card') addCard(draft, fields);
  else {
    addField(draft, 'NoteType', type, false);
    for (const { name, value } of fields) addField(draft, name, value);
  }
}

function addCard(draft: Draft, fields: readonly { name: string; value: string }[]): void {
  draft.type = 'credit_card';
  for (const { name, value } of fields) {
    if (name === 'Name on Card') draft.cardholderName = value;
    else if (name === 'Number') draft.cardNumber = value;
    else if (name === 'Security Code') draft.cvv = value;
    else if (name === 'Expiration Date') {
      // "June,2020", and either half may be missing
      const [month, year, ...more] = value.split(',');
      draft.expirationDate = more.length === 0 ? expirationDate(month, year) : undefined;
      if (draft.expirationDate === undefined && value !== ',') addField(draft, name, value, false);
    } else if (!(name === 'Start Date' && value === ',')) addField(draft, name, value, false);
  }
}

/**
 * A line without a colon continues the previous value. So does every line of a PEM block, because the lines of an encrypted one have colons
 * and an empty line (RFC 1421, 4.6). Values are cut out of the text, so their line ends stay unchanged.
 */
function parseNote(text: string): { type: string; fields: { name: string; value: string }[]; notes: string } {
  const fields: { name: string; start: number; end: number }[] = [];
  let inPem = false;
  // An unclosed PEM block is ignored. Otherwise it would take all fields after it.
  const lastPemEnd = text.lastIndexOf('-----END');
  for (const { start, end } of linesOf(text)) {
    const line = text.slice(start, end);
    const last = fields.at(-1);
    const colon = inPem ? -1 : line.indexOf(':');
    if (colon >= 0) {
      const name = line.slice(0, colon);
      if (name === 'Notes') return { ...valuesOf(text, fields), notes: text.slice(start + 'Notes:'.length) };
      fields.push({ name, start: start + colon + 1, end });
    } else if (line !== '' && last) last.end = end;
    else if (line !== '') fields.push({ name: '', start, end });
    inPem = end < lastPemEnd && staysInPem(line, inPem);
  }
  return { ...valuesOf(text, fields), notes: '' };
}

function valuesOf(text: string, fields: readonly { name: string; start: number; end: number }[]) {
  const values = fields.map(({ name, start, end }) => ({ name, value: text.slice(start, end) }));
  const type = values.findIndex(({ name }) => name === 'NoteType');
  return { type: values[type]?.value ?? '', fields: values.filter((_, at) => at !== type) };
}
