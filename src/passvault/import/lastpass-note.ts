import type { Draft } from './draft.ts';
import { addField } from './draft.ts';
import { expirationDate } from './moment.ts';

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

function parseNote(text: string): { type: string; fields: { name: string; value: string }[]; notes: string } {
  const fields: { name: string; value: string }[] = [];
  let type = '';
  const lines = text.matchAll(/([^\r\n]*)(?:\r\n|\n|\r|$)/g);
  for (const { 1: line = '', index } of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0));
    if (name === 'Notes') return { type, fields, notes: text.slice(index + 'Notes:'.length) };
    const last = fields.at(-1);
    if (name === 'NoteType' && type === '') type = line.slice(colon + 1);
    else if (colon >= 0) fields.push({ name, value: line.slice(colon + 1) });
    // A line without a colon goes on with the value before it, as the lines of a private key do.
    else if (line !== '' && last) last.value = `${last.value}\n${line}`;
    else if (line !== '') fields.push({ name: '', value: line });
  }
  return { type, fields, notes: '' };
}
