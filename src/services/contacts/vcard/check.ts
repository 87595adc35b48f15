import { contactsLimits } from '../../../contract/contacts/limits.ts';
import { readFields, type CardReading } from './fields.ts';
import { propertiesOf, vcardProblem, type Property } from './lines.ts';

/** A vCard that may be stored. */
export interface CheckedCard {
  readonly text: string;
  readonly properties: readonly Property[];
  readonly reading: CardReading;
}

/** Groups have a line for each of their members. */
const counted = ({ name }: Property): boolean => name !== 'MEMBER' && name !== 'X-ADDRESSBOOKSERVER-MEMBER';

/**
 * Reads a vCard of version 3.0 or 4.0, and refuses what is none or too large.
 * @throws Problem invalid VALIDATION_ERROR
 */
export function checkedCard(text: string): CheckedCard {
  if (Buffer.byteLength(text) > contactsLimits.cardBytes) throw vcardProblem('must be at most 1 MiB');
  const properties = propertiesOf(text);
  const [first] = properties;
  const last = properties.at(-1);
  if (!isBorder(first, 'BEGIN') || !isBorder(last, 'END'))
    throw vcardProblem('must begin with BEGIN:VCARD and end with END:VCARD');
  const inner = properties.slice(1, -1);
  if (inner.some(({ name }) => name === 'BEGIN' || name === 'END')) throw vcardProblem('must be a single vCard');
  if (inner.filter(counted).length > contactsLimits.lines)
    throw vcardProblem(`must have at most ${contactsLimits.lines} properties`);
  const reading = readFields(inner);
  if (reading.version !== '3.0' && reading.version !== '4.0') throw vcardProblem('must have the version 3.0 or 4.0');
  if (reading.displayName === '')
    throw vcardProblem('must have a name, an organization, an e-mail address or a telephone number');
  if (reading.uid.length > contactsLimits.uid)
    throw vcardProblem(`must have a UID of at most ${contactsLimits.uid} characters`);
  return { text, properties, reading };
}

function isBorder(property: Property | undefined, name: 'BEGIN' | 'END'): property is Property {
  return property?.name === name && property.value.trim().toUpperCase() === 'VCARD';
}
