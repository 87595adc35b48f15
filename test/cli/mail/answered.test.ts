import { describe, expect, it } from 'vitest';
import { recipientsOfAnswer } from '../../../src/cli/mail/reader/answered.ts';

const mailbox = (localPart: string) => ({ address: `${localPart}@home.example`, localPart, domain: 'home.example' });
const named = (localPart: string) => ({ localPart, domain: 'home.example' });
const [ada, bob, cy] = [mailbox('ada'), mailbox('bob'), mailbox('cy')];
const none = { address: 'do not reply', localPart: '', domain: '' };

describe('the draft of an answer', () => {
  it('goes to Reply-To, and otherwise to From', () => {
    const message = { from: ada, to: [bob], cc: [] };
    expect(recipientsOfAnswer(message, bob.address, false)).toEqual({ to: [named('ada')], cc: [] });
    expect(recipientsOfAnswer({ ...message, replyTo: [cy] }, bob.address, false).to).toEqual([named('cy')]);
    expect(recipientsOfAnswer({ ...message, replyTo: [none, cy] }, bob.address, false).to).toEqual([named('cy')]);
    expect(recipientsOfAnswer({ ...message, replyTo: [none] }, bob.address, false).to).toEqual([named('ada')]);
  });

  it('goes to nobody without an address, and not to oneself', () => {
    const message = { from: ada, to: [bob, none, cy], cc: [none, ada] };
    expect(recipientsOfAnswer(message, bob.address, true)).toEqual({ to: [named('ada')], cc: [named('cy')] });
    expect(recipientsOfAnswer({ ...message, from: bob }, bob.address, false).to).toEqual([named('cy')]);
  });
});
