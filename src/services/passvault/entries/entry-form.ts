import type { EntryType, KeptEntry } from '../../../contract/passvault/entry.ts';
import { fieldProblem } from '../../../base/problem.ts';
import { passvaultLimits } from '../../../contract/passvault/limits.ts';

/** Fields of an entry as the request has them; missing fields are undefined. */
export type EntryFields = { readonly [K in keyof KeptEntry]?: KeptEntry[K] | undefined };

/** The content of an entry's encrypted block. */
export type EntryBlock = KeptEntry & {
  /** when the password was last set, ISO 8601; unknown for some imported entries */
  passwordChangedAt?: string;
};

const ofOneType: Readonly<Record<EntryType, readonly (keyof KeptEntry)[]>> = {
  login: ['username', 'password', 'siteUrl', 'totpSecret', 'urls', 'passwordHistory'],
  credit_card: ['cardholderName', 'cardNumber', 'expirationDate', 'cvv'],
  secure_note: ['content'],
};
const ofEveryType: readonly (keyof KeptEntry)[] = ['notes', 'customFields', 'tags', 'favorite', 'archived'];

/** @throws Problem invalid VALIDATION_ERROR for a field that only entries of another type have */
function fieldsFor(type: EntryType, input: EntryFields): Partial<KeptEntry> {
  for (const [other, fields] of Object.entries(ofOneType)) {
    const wrong = other === type ? undefined : fields.find((field) => input[field] !== undefined);
    if (wrong !== undefined) throw fieldProblem(wrong, `is not a field of a ${type}`);
  }
  const given = [...ofOneType[type], ...ofEveryType].filter((field) => input[field] !== undefined);
  return Object.fromEntries(given.map((field) => [field, input[field]]));
}

export function newBlock(type: EntryType, title: string, input: EntryFields, now: number): EntryBlock {
  return {
    tags: [],
    favorite: false,
    archived: false,
    ...fieldsFor(type, input),
    type,
    title,
    ...(input.password !== undefined && { passwordChangedAt: new Date(now).toISOString() }),
  };
}

/** Applies a change. Missing fields stay, and a replaced password goes to the history. */
export function changedBlock(before: EntryBlock, input: EntryFields, now: number): EntryBlock {
  if (input.type !== undefined && input.type !== before.type) throw fieldProblem('type', 'cannot be changed');
  const time = new Date(now).toISOString();
  const changes = fieldsFor(before.type, input);
  const after: EntryBlock = { ...before, ...changes, title: input.title ?? before.title };
  if (input.password === undefined || input.password === before.password) return after;
  after.passwordChangedAt = time;
  if (before.password !== undefined && before.password !== '') {
    const replaced = { password: before.password, changedAt: time };
    after.passwordHistory = [replaced, ...(after.passwordHistory ?? [])].slice(0, passvaultLimits.passwordHistory);
  }
  return after;
}

/** The entry without the fields that only the node needs. */
export function entryOf(block: EntryBlock): KeptEntry {
  const { passwordChangedAt: _, ...entry } = block;
  return entry;
}
