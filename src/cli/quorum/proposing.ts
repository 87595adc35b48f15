import { perform } from '../../client/perform.ts';
import type { ActionType } from '../../contract/quorum/actions.ts';
import { quorumProposals, type Proposal } from '../../contract/quorum/proposals.ts';
import { Problem } from '../../base/problem.ts';
import { readInput } from '../kit/call-input.ts';
import { expiryOf } from '../kit/expiry.ts';
import { missingInput } from '../kit/missing-input.ts';
import { prompts, type Prompts } from '../kit/prompts.ts';
import { moment, type Unmeasured } from '../kit/screen.ts';
import { isInteractive, type Terminal } from '../kit/terminal.ts';
import { actionForms, type ActionField } from './action-forms.ts';
import { askedField, askedType, wrongWith } from './action-questions.ts';
import { assignedFields, jsonObject, missingFields, type Reading } from './action-values.ts';
import { payloadPairs } from './proposal-views.ts';

/** What is known of a proposal before anybody is asked. */
export interface Given {
  readonly actionType: ActionType | undefined;
  /** `member=ada` */
  readonly assignments: readonly string[];
  /** JSON of the whole payload, `@` and the file that has it, or `-` for standard input */
  readonly payload: string | undefined;
  readonly description: string | undefined;
  readonly expires: string | undefined;
}

type Draft = Pick<Proposal, 'actionPayload' | 'description' | 'expiresAt'> & { readonly actionType: ActionType };

/** When voting ends if nobody says so. */
const usualExpiry = '7d';

/**
 * The proposal that a person wants: from the arguments, and what is missing from questions on a terminal.
 * @throws Problem invalid INPUT_MISSING, USAGE, INPUT_INVALID, INPUT_UNREADABLE; as `assignedFields`
 */
export async function draftOf(reading: Reading, terminal: Terminal, given: Given): Promise<Draft> {
  const { expires = usualExpiry } = given;
  // Before any question, because answers would be lost.
  let expiresAt = endOf(expires);
  const asking = isInteractive(terminal) ? prompts(terminal) : undefined;
  if (asking === undefined) assertGiven(given);
  const actionType = given.actionType ?? (await askedType(asking as Prompts));
  const actionPayload = await payloadOf(reading, terminal, asking, { ...given, actionType });
  if (given.description !== undefined) return { actionType, actionPayload, description: given.description, expiresAt };
  const description = await (asking as Prompts).text({ message: 'Description', check: notEmpty });
  if (given.expires === undefined) expiresAt = endOf(await askedEnd(asking as Prompts));
  return { actionType, actionPayload, description, expiresAt };
}

/** @throws Problem invalid USAGE */
function endOf(expires: string): string {
  const end = expiryOf(expires, Date.now());
  if (end === undefined) throw new Problem('invalid', 'USAGE', `Every proposal expires: --expires ${usualExpiry}.`);
  return end;
}

async function askedEnd(asking: Prompts): Promise<string> {
  const check = (text: string): string | undefined => {
    try {
      endOf(text);
      return undefined;
    } catch {
      return 'Must be in the future: 7d, 12h, or a date such as 2027-01-31';
    }
  };
  return await asking.text({ message: 'Voting ends in', fallback: usualExpiry, check });
}

function assertGiven({ actionType, description }: Given): void {
  const missing = [
    ...(actionType === undefined ? [{ path: 'action', by: 'the first argument, such as REMOVE_MEMBER' }] : []),
    ...(description === undefined ? [{ path: 'description', by: '--description' }] : []),
  ];
  if (missing.length > 0) throw missingInput(...missing);
}

async function payloadOf(
  reading: Reading,
  terminal: Terminal,
  asking: Prompts | undefined,
  { actionType, assignments, payload: json }: Given & { readonly actionType: ActionType },
): Promise<Record<string, unknown>> {
  if (json !== undefined) {
    if (assignments.length > 0)
      throw new Problem('invalid', 'USAGE', 'Give the fields by --payload or by FIELD=VALUE, but not by both.');
    return jsonObject(await jsonOf(terminal, json), '--payload');
  }
  const payload = await assignedFields(reading, actionType, assignments);
  const missing = missingFields(actionType, payload);
  if (asking === undefined) {
    if (missing.length === 0) return payload;
    throw new Problem('invalid', 'INPUT_MISSING', `${actionType} takes more.`, {
      fields: missing.map(({ word }) => ({ path: word, message: `is missing. Give it as ${word}=…` })),
    });
  }
  // Who gives fields as arguments has thought of the optional ones.
  for (const field of assignments.length > 0 ? missing : actionForms[actionType].fields) {
    const value = await askedField(reading, asking, actionType, field);
    if (value !== undefined) payload[field.name] = value;
  }
  if (actionType !== 'CUSTOM') return payload;
  const check = (text: string) => wrongWith(actionType, decidedField, text);
  return jsonObject(await asking.text({ message: decidedField.ask, fallback: '{}', check }), 'The payload');
}

/** Any object may be decided, so that the whole payload is one answer. */
const decidedField: ActionField = { name: '', word: 'payload', kind: 'json', ask: 'What was decided, as JSON' };

async function jsonOf(terminal: Terminal, given: string): Promise<string> {
  if (given === '-') return await readInput(terminal, '-', '--payload');
  return given.startsWith('@') ? await readInput(terminal, given.slice(1), '--payload') : given;
}

function notEmpty(text: string): string | undefined {
  return text.trim() === '' ? 'Must not be empty' : undefined;
}

/** What will be proposed, before the person says yes. */
export function draftPairs(screen: Unmeasured, draft: Draft, { people }: Reading): (readonly [string, string])[] {
  return [
    ['Action', `${draft.actionType}: ${actionForms[draft.actionType].does}`],
    ...payloadPairs(draft, people),
    ['Description', draft.description],
    ['Expires', moment(screen, draft.expiresAt)],
  ];
}

export async function propose({ client }: Reading, draft: Draft): Promise<Proposal> {
  return (await perform(client, quorumProposals.createProposal, draft)).proposal;
}
