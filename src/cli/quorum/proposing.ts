import { collectPages } from '../../client/pages.ts';
import { perform } from '../../client/perform.ts';
import { actionTypes, type ActionType } from '../../contract/quorum/actions.ts';
import { quorumDocuments } from '../../contract/quorum/documents.ts';
import { quorumProposals, type Proposal } from '../../contract/quorum/proposals.ts';
import { Problem } from '../../problem.ts';
import { expiryOf } from '../kit/expiry.ts';
import { missingInput } from '../kit/missing-input.ts';
import { prompts, type Prompts } from '../kit/prompts.ts';
import { moment, type Unmeasured } from '../kit/screen.ts';
import { isInteractive, type Terminal } from '../kit/terminal.ts';
import { actionForms, type ActionField } from './action-forms.ts';
import { jsonObject, payloadFrom, valueOf, type Reading } from './action-values.ts';
import { payloadPairs } from './proposal-views.ts';

/** What is known of a proposal before anybody is asked. */
export interface Given {
  readonly actionType: ActionType | undefined;
  /** `member=ada` */
  readonly assignments: readonly string[];
  /** JSON of the whole payload */
  readonly payload: string | undefined;
  readonly description: string | undefined;
  readonly expires: string;
}

type Draft = Pick<Proposal, 'actionPayload' | 'description' | 'expiresAt'> & { readonly actionType: ActionType };

/**
 * The proposal that a person wants: from the arguments, and what is missing from questions on a terminal.
 * @throws Problem invalid INPUT_MISSING, USAGE, INPUT_INVALID
 */
export async function draftOf(reading: Reading, terminal: Terminal, given: Given): Promise<Draft> {
  const expiresAt = expiryOf(given.expires, Date.now());
  if (expiresAt === undefined) throw new Problem('invalid', 'USAGE', 'Every proposal expires: --expires 7d.');
  if (!isInteractive(terminal)) assertGiven(given);
  const asking = prompts(terminal);
  const actionType = given.actionType ?? (await askedType(asking));
  const actionPayload = await payloadOf(reading, terminal, asking, { ...given, actionType });
  const description = given.description ?? (await asking.text({ message: 'Description', check: notEmpty }));
  return { actionType, actionPayload, description, expiresAt };
}

function assertGiven({ actionType, description }: Given): void {
  const missing = [
    ...(actionType === undefined ? [{ path: 'action', by: 'the first argument, such as REMOVE_MEMBER' }] : []),
    ...(description === undefined ? [{ path: 'description', by: '--description' }] : []),
  ];
  if (missing.length > 0) throw missingInput(...missing);
}

async function askedType(asking: Prompts): Promise<ActionType> {
  const items = actionTypes.map((value) => ({ name: value, value, description: `It ${actionForms[value].does}.` }));
  return await asking.menu('What should the quorum do?', items);
}

async function payloadOf(
  reading: Reading,
  terminal: Terminal,
  asking: Prompts,
  { actionType, assignments, payload }: Given & { readonly actionType: ActionType },
): Promise<Record<string, unknown>> {
  if (payload !== undefined) return jsonObject(payload, '--payload');
  const { fields } = actionForms[actionType];
  if (assignments.length > 0 || !isInteractive(terminal)) return await payloadFrom(reading, actionType, assignments);
  const answers: Record<string, unknown> = {};
  for (const field of fields) {
    const value = await asked(reading, asking, field);
    if (value !== undefined) answers[field.name] = value;
  }
  if (actionType !== 'CUSTOM') return answers;
  return jsonObject(await asking.text({ message: 'What was decided, as JSON', fallback: '{}' }), 'The payload');
}

/** A list of so many names is seen at a glance; a longer one is searched. */
const SHORT = 14;

async function asked(reading: Reading, asking: Prompts, field: ActionField): Promise<unknown> {
  const { kind, ask, optional } = field;
  if (kind === 'member') {
    const items = reading.people.members.map(({ id, metadata }) => ({
      name: metadata.name,
      value: id,
      description: id,
    }));
    if (items.length <= SHORT) return await asking.menu(ask, items);
    return await asking.search(ask, (term) =>
      items.filter(({ name }) => name.toLowerCase().includes(term.toLowerCase())),
    );
  }
  if (kind === 'document' && optional !== true) return await askedDocument(reading, asking, ask);
  const isOptional = optional === true || kind === 'members';
  const text = await asking.text({ message: ask, ...(!isOptional && { check: notEmpty }) });
  return text === '' && kind !== 'members' ? undefined : await valueOf(reading, field, text);
}

async function askedDocument({ client, screen }: Reading, asking: Prompts, ask: string): Promise<string> {
  const { items } = await collectPages(client, quorumDocuments.listDocuments, {}, 'documents');
  if (items.length === 0) throw new Problem('missing', 'DOCUMENT_NOT_FOUND', 'The quorum has no documents.');
  return await asking.menu(
    ask,
    items.map(({ id, createdAt }) => ({ name: `${id}  sealed ${moment(screen, createdAt)}`, value: id, short: id })),
  );
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
