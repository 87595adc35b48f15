import { safeParse, type GenericSchema } from 'valibot';
import { collectPages } from '../../client/pages.ts';
import { actionPayloads, actionTypes, type ActionType } from '../../contract/quorum/actions.ts';
import { quorumDocuments } from '../../contract/quorum/documents.ts';
import { Problem } from '../../base/problem.ts';
import { wholeNumber } from '../../base/whole-number.ts';
import type { Item, Prompts } from '../kit/prompts.ts';
import { moment } from '../kit/screen.ts';
import { actionForms, type ActionField } from './action-forms.ts';
import { jsonObject, valueOf, type Reading } from './action-values.ts';

export async function askedType(asking: Prompts): Promise<ActionType> {
  const items = actionTypes.map((value) => ({ name: value, value, description: `It ${actionForms[value].does}.` }));
  return await asking.menu('What should the quorum do?', items);
}

/** @returns undefined for an optional field that the person leaves empty */
export async function askedField(
  reading: Reading,
  asking: Prompts,
  actionType: ActionType,
  field: ActionField,
): Promise<unknown> {
  const { kind, ask, optional } = field;
  if (kind === 'member') return await pickOne(asking, ask, membersOf(reading));
  if (kind === 'members') return await askedMembers(reading, asking, ask);
  if (kind === 'document') return await askedDocument(reading, asking, field);
  const check = (text: string) => wrongWith(actionType, field, text);
  const text = await asking.text({ message: optional ? `${ask} (or nothing)` : ask, check });
  return text === '' && optional === true ? undefined : await valueOf(reading, field, text);
}

/** Why an answer is refused, by the contract, so that the person can correct it at once. */
export function wrongWith(actionType: ActionType, field: ActionField, text: string): string | undefined {
  if (text.trim() === '') return field.optional === true ? undefined : 'Must not be empty';
  const value = typedValue(field, text);
  if (value instanceof Problem) return value.message;
  const schema = schemaOf(actionType, field.name);
  const result = schema && safeParse(schema, value, { abortPipeEarly: true });
  if (result === undefined || result.success) return undefined;
  const [{ message }] = result.issues;
  return message.startsWith('Invalid ') ? 'Is not valid' : `${message.slice(0, 1).toUpperCase()}${message.slice(1)}`;
}

function typedValue(field: ActionField, text: string): unknown {
  if (field.kind === 'number') return wholeNumber(text) ?? text;
  if (field.kind !== 'json') return text;
  try {
    return jsonObject(text, 'It');
  } catch (error) {
    return error;
  }
}

function schemaOf(actionType: ActionType, name: string): GenericSchema | undefined {
  const payload = actionPayloads[actionType];
  return 'entries' in payload ? (payload.entries as Readonly<Record<string, GenericSchema>>)[name] : undefined;
}

/** A list of so many lines is seen at a glance; a longer one is searched. */
const SHORT = 14;

async function pickOne<T>(asking: Prompts, message: string, items: readonly Item<T>[]): Promise<T> {
  if (items.length <= SHORT) return await asking.menu(message, items);
  return await asking.search(message, (term) =>
    items.filter(({ name }) => name.toLowerCase().includes(term.toLowerCase())),
  );
}

function membersOf({ people }: Reading): Item<string>[] {
  return people.members.map(({ id, metadata }) => ({ name: metadata.name, value: id, description: id }));
}

/** Members one after another, until the person has enough of them. */
async function askedMembers(reading: Reading, asking: Prompts, ask: string): Promise<string[]> {
  const chosen: string[] = [];
  for (;;) {
    const left = membersOf(reading).filter(({ value }) => !chosen.includes(value));
    if (left.length === 0) return chosen;
    const enough = { name: chosen.length === 0 ? '(nobody)' : '(no more)', value: '' };
    const names = chosen.map((id) => reading.people.nameOf(id));
    const message = names.length === 0 ? ask : `${ask}: ${names.join(', ')}, and`;
    const next = await pickOne(asking, message, [...left, enough]);
    if (next === '') return chosen;
    chosen.push(next);
  }
}

async function askedDocument(
  { client, screen }: Reading,
  asking: Prompts,
  { ask, optional }: ActionField,
): Promise<string | undefined> {
  const most = Number.POSITIVE_INFINITY;
  const { items } = await collectPages(client, quorumDocuments.listDocuments, {}, 'documents', { most });
  if (items.length === 0 && optional === true) return undefined;
  if (items.length === 0) throw new Problem('missing', 'DOCUMENT_NOT_FOUND', 'The quorum has no documents.');
  const documents = items.map(({ id, createdAt }) => ({
    name: `${id}  sealed ${moment(screen, createdAt)}`,
    value: id,
    short: id,
  }));
  const none = optional === true ? [{ name: '(none)', value: '' }] : [];
  const id = await pickOne(asking, ask, [...none, ...documents]);
  return id === '' ? undefined : id;
}
