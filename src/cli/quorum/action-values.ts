import type { Client } from '../../client/client.ts';
import type { ActionType } from '../../contract/quorum/actions.ts';
import { Problem } from '../../base/problem.ts';
import { wholeNumber } from '../../base/whole-number.ts';
import type { Unmeasured } from '../kit/screen.ts';
import { actionForms, type ActionField } from './action-forms.ts';
import { documentIdOf } from './find-document.ts';
import type { People } from './people.ts';

/** What turns a typed text into the value of a field. */
export interface Reading {
  readonly client: Client;
  readonly screen: Unmeasured;
  readonly people: People;
}

/**
 * The fields of an action from arguments such as `member=ada`. The contract checks the rest.
 * @throws Problem invalid USAGE; as `people.find` and `documentIdOf`
 */
export async function assignedFields(
  reading: Reading,
  actionType: ActionType,
  assignments: readonly string[],
): Promise<Record<string, unknown>> {
  const { fields } = actionForms[actionType];
  const payload: Record<string, unknown> = {};
  for (const assignment of assignments) {
    const [, word = '', text = ''] = /^([^=]*)=([\s\S]*)$/.exec(assignment) ?? [];
    const field = fields.find((one) => one.word === word || one.name === word);
    if (field === undefined) throw unknownField(actionType, assignment);
    if (field.name in payload) throw new Problem('invalid', 'USAGE', `${word} is given twice.`);
    payload[field.name] = await valueOf(reading, field, text);
  }
  return payload;
}

/** The fields that an action needs and that nobody has given. */
export function missingFields(actionType: ActionType, payload: Readonly<Record<string, unknown>>): ActionField[] {
  return actionForms[actionType].fields.filter(({ name, optional }) => optional !== true && !(name in payload));
}

/** @throws Problem as `assignedFields` */
export async function valueOf({ client, screen, people }: Reading, field: ActionField, text: string): Promise<unknown> {
  switch (field.kind) {
    case 'member':
      return people.find(text).id;
    case 'members':
      return text === '' ? [] : text.split(',').map((name) => people.find(name.trim()).id);
    case 'document':
      return await documentIdOf(client, screen, text);
    case 'number': {
      const value = wholeNumber(text);
      if (value === undefined) throw new Problem('invalid', 'USAGE', `${field.word} must be a whole number.`);
      return value;
    }
    case 'json':
      return jsonObject(text, field.word);
    default:
      return text;
  }
}

/** @throws Problem invalid INPUT_INVALID */
export function jsonObject(text: string, what: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new Problem('invalid', 'INPUT_INVALID', `${what} must be a JSON object, such as {"colour":"green"}.`);
}

function unknownField(actionType: ActionType, assignment: string): Problem {
  const words = actionForms[actionType].fields.map(({ word }) => `${word}=…`);
  const takes = words.length === 0 ? 'takes no fields' : `takes ${words.join(', ')}`;
  return new Problem('invalid', 'USAGE', `${actionType} ${takes}, and not ${JSON.stringify(assignment)}.`);
}
