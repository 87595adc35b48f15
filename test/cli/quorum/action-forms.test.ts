import { describe, expect, it } from 'vitest';
import { actionForms, formOf } from '../../../src/cli/quorum/action-forms.ts';
import { wrongWith } from '../../../src/cli/quorum/action-questions.ts';
import { proposalPairs } from '../../../src/cli/quorum/proposal-views.ts';
import { actionPayloads, actionTypes, type ActionType } from '../../../src/contract/quorum/actions.ts';

describe('the fields that people are asked for', () => {
  it.each(actionTypes.filter((type) => type !== 'CUSTOM'))('are those of the contract: %s', (type) => {
    const payload = actionPayloads[type] as { readonly entries: Readonly<Record<string, { readonly type: string }>> };
    // The node fills these in.
    const filled = new Set(['proposerMemberId', 'linkedBy']);
    const entries = Object.entries(payload.entries).filter(([name]) => !filled.has(name));
    const wanted = entries.map(([name, schema]) => [name, schema.type === 'optional']);
    const asked = actionForms[type].fields.map(({ name, optional }) => [name, optional === true]);
    expect(Object.fromEntries(asked)).toEqual(Object.fromEntries(wanted));
  });

  const wrong = (type: ActionType, name: string, text: string) => {
    const field = actionForms[type].fields.find((one) => one.name === name);
    return field && wrongWith(type, field, text);
  };

  it.each([
    ['CHANGE_THRESHOLD', 'threshold', 'three', 'Must be a number'],
    ['CHANGE_THRESHOLD', 'threshold', '3', undefined],
    ['BAN_MEMBER', 'reason', ' ', 'Must not be empty'],
    ['REGISTER_ALIAS', 'aliasName', 'a', 'Must be 3 to 32 of a-z, 0-9, dot, hyphen and underscore'],
    ['REGISTER_ALIAS', 'identity', '', undefined],
    ['REGISTER_ALIAS', 'identity', '[]', 'It must be a JSON object, such as {"colour":"green"}.'],
    ['REGISTER_ALIAS', 'identity', '{"name":"Ada"}', undefined],
  ] as const)('are corrected at once: %s %s %j', (type, name, text, said) => {
    expect(wrong(type, name, text)).toBe(said);
  });

  it('are shown as they are for an action of a newer server', () => {
    expect(formOf('PAINT_DOOR').fields).toEqual([]);
    expect(formOf('toString').does).toContain('not known');
    const proposal = {
      id: 'f'.repeat(32),
      description: 'Green',
      actionType: 'PAINT_DOOR',
      actionPayload: { colour: 'green' },
      actionHash: '',
      proposerMemberId: 'ada',
      status: 'pending',
      requiredThreshold: 2,
      epochNumber: 1,
      createdAt: '2027-01-01T00:00:00.000Z',
      expiresAt: '2027-01-08T00:00:00.000Z',
    } as const;
    const tally = { approve: 0, reject: 0, abstain: 0, required: 2, electorate: ['ada'] };
    const people = { members: [], nameOf: (id: string) => id, find: () => undefined as never };
    const screen = { width: 80, timezone: 'UTC', paint: (_: string, text: string) => text } as never;
    expect(proposalPairs(screen, { proposal, votes: [], tally }, people)).toContainEqual(['Colour', 'green']);
  });
});
