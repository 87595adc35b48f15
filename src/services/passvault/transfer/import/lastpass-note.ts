import type { Draft } from './draft.ts';
import { addField } from './draft.ts';
import { expirationDate } from './moment.ts';
import { linesOf, staysInPem } from './text-lines.ts';

/**
 * The fields of a note that has a type, one `Name:value` a line, `Notes` last and perhaps over several lines. Cards become
 * cards; all other types (addresses, bank accounts, keys, made by the user …) stay notes with every field.
 */
export function addStructuredNote(draft: Draft, text: string): void {
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
 * A line without a colon goes on with the value before it, and so do all lines of a PEM block: those of an encrypted one have
 * colons and an empty line (RFC 1421, 4.6). Values are cut out of the text, so that their line ends stay as they are.
 */
function parseNote(text: string): { type: string; fields: { name: string; value: string }[]; notes: string } {
  const fields: { name: string; start: number; end: number }[] = [];
  let inPem = false;
  // A block that is never closed is none: it would take all fields after it.
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
