import type { Draft } from './draft.ts';
import { addField, addTag, addUrl, finishRecord, newDraft } from './draft.ts';
import type { Skip } from './import-run.ts';
import { notImportable } from './import-run.ts';
import type { Json, JsonObject } from './json-values.ts';
import { addAll, isObject, textIn } from './json-values.ts';
import { expirationDate } from './moment.ts';
import type { ImportRecord } from './record.ts';

/** Takes members of an item. Members that were not taken become fields of the record. */
type Take = (...names: string[]) => string | undefined;

export function recordOfDashlaneItem(section: string, item: Json, row: number): ImportRecord | Skip {
  if (!isObject(item)) throw notImportable('It is not an item.');
  const draft = newDraft();
  const rest = new Map(Object.entries(item));
  const take: Take = (...names) => takeFrom(rest, item, names);
  if (section === 'AUTHENTIFIANT') takeLogin(draft, take);
  else if (section === 'PAYMENTMEANS_CREDITCARD') takeCard(draft, take, rest, item);
  else if (section === 'SECURENOTE' || section === 'SECRET') {
    draft.type = 'secure_note';
    draft.title = take('title', 'name');
    draft.notes = take('content', 'note');
  } else {
    draft.type = 'secure_note';
    draft.title = take(
      'title',
      'name',
      'fullName',
      'Fullname',
      'addressName',
      'BankAccountName',
      'emailName',
      'phoneName',
    );
    draft.notes = take('note', 'content');
    addField(draft, 'type', section, false);
  }
  addTag(draft, take('category'));
  for (const [name, value] of rest) addAll(draft, name, value);
  return finishRecord(draft, row);
}

/** The first value that isn't empty. Empty members count as taken too. */
function takeFrom(rest: Map<string, Json | undefined>, item: JsonObject, names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = rest.has(name) ? textIn(item[name]) : undefined;
    if (text === undefined || text === '') continue;
    rest.delete(name);
    return text;
  }
  return undefined;
}

/** A login has up to three user names; the unused ones become fields under their own names. `url` and `domain` are the same site. */
function takeLogin(draft: Draft, take: Take): void {
  draft.title = take('title');
  draft.username = take('login', 'secondaryLogin', 'email');
  draft.password = take('password');
  draft.notes = take('note');
  draft.totps = [take('otpUrl'), take('otpSecret')].filter((totp) => totp !== undefined);
  const [url, domain] = [take('url'), take('domain')];
  addUrl(draft, url ?? domain);
  if (url !== undefined && domain !== undefined && !url.includes(domain)) addUrl(draft, domain);
  // Two forms of one secret: the URI holds more.
  if (draft.totps.length === 2 && draft.totps[0]?.includes(draft.totps[1] ?? '')) draft.totps.pop();
}

function takeCard(draft: Draft, take: Take, rest: Map<string, Json | undefined>, item: JsonObject): void {
  draft.type = 'credit_card';
  draft.title = take('title', 'name') ?? take('bank');
  draft.cardholderName = take('owner', 'ownerName');
  draft.cardNumber = take('cardNumber');
  draft.cvv = take('securityCode');
  draft.notes = take('note');
  const [month, year] = [textIn(item.expireMonth), textIn(item.expireYear)];
  draft.expirationDate = expirationDate(month, year);
  const [keptMonth, keptYear] = (draft.expirationDate ?? '/').split('/');
  if (keptMonth) rest.delete('expireMonth');
  if (keptYear) rest.delete('expireYear');
}
