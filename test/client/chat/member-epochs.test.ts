import { beforeEach, describe, expect, it } from 'vitest';
import { calledBy } from '../../../src/client/chat/doubts.ts';
import { checkEpochs, makeEpoch, type EpochFacts, type KnownEpoch } from '../../../src/client/chat/member-epochs.ts';
import { fromHex, toHex } from '../../../src/crypto/bytes.ts';
import { digestOfMembers, openRoomKey } from '../../../src/crypto/room-keys.ts';
import { epochStatement, keyIdOf } from '../../../src/crypto/room-signatures.ts';
import { sign } from '../../../src/crypto/signature.ts';
import { expectCryptoError } from '../../crypto/damage.ts';
import { holderOf, person } from './answering-node.ts';

const room = { kind: 'conversation', id: '0192f3a4b5c6d7e8f900112233445566' };
const [ada, bob, cleo, mallory] = [person('ada'), person('bob'), person('cleo'), person('mallory')];
const called = calledBy(new Map([ada, bob, mallory].map(({ memberId, name }) => [memberId, name])));

type Person = typeof ada;

/** A chain of three keys: of ada, bob with cleo, and ada without bob. */
function chain(): EpochFacts[] {
  let before: KnownEpoch | undefined;
  const steps: [Person, Person[]][] = [
    [ada, [ada, bob]],
    [bob, [ada, bob, cleo]],
    [ada, [ada, cleo]],
  ];
  return steps.map(([author, holders]) => {
    const { sent, known } = makeEpoch(author.keys, room, before, holders.map(holderOf));
    const { epoch, keyId, membersDigest, signature } = sent;
    const previousKeyId = before?.keyId ?? null;
    before = known;
    const memberIds = [...known.memberIds];
    return { epoch, keyId, membersDigest, signature, previousKeyId, authorId: author.memberId, memberIds };
  });
}

/** The same, signed anew by whoever is its author. */
function signed(facts: EpochFacts, author: Person): EpochFacts {
  const membersDigest = digestOfMembers(facts.memberIds.toSorted());
  const { epoch, keyId, previousKeyId } = facts;
  const statement = epochStatement({ room, epoch, keyId, previousKeyId: previousKeyId ?? undefined, membersDigest });
  const signature = toHex(sign(author.keys.privateKey, statement));
  return { ...facts, membersDigest, authorId: author.memberId, signature };
}

describe('keys that members make', () => {
  let epochs: EpochFacts[];
  beforeEach(() => void (epochs = chain()));
  const problem = (code: string, ...words: string[]) =>
    expect.objectContaining({ kind: 'network', code, message: expect.stringMatching(new RegExp(words.join('.*'))) });
  const refused = (list: readonly EpochFacts[], before?: KnownEpoch) => {
    try {
      return checkEpochs(room, list, before, called);
    } catch (error) {
      return error;
    }
  };
  const changed = (at: number, change: Partial<EpochFacts>) =>
    epochs.map((one, index) => (index === at ? { ...one, ...change } : one));

  it('follow each other, each for exactly its members', () => {
    const known = checkEpochs(room, epochs, undefined, called);
    expect(known.map(({ epoch, memberIds }) => [epoch, memberIds.length])).toEqual([
      [1, 2],
      [2, 3],
      [3, 2],
    ]);
    expect(checkEpochs(room, epochs.slice(1), known[0], called)).toEqual(known.slice(1));
    // Somebody who came later sees the later part alone.
    expect(checkEpochs(room, epochs.slice(1), undefined, called)).toEqual(known.slice(1));
    expect(checkEpochs(room, [], known[2], called)).toEqual([]);
  });

  it('are wrapped for each member, and named by a hash of the key', () => {
    const { sent, key, known } = makeEpoch(ada.keys, room, undefined, [ada, bob].map(holderOf));
    expect(sent).toMatchObject({ epoch: 1, keyId: keyIdOf(key) });
    expect(known.memberIds).toEqual([ada.memberId, bob.memberId].toSorted());
    for (const { memberId, keys } of [ada, bob]) {
      const wrapped = fromHex(sent.wraps.find((wrap) => wrap.memberId === memberId)!.wrapped);
      expect(wrapped).toHaveLength(100);
      expect(openRoomKey(keys.privateKey, wrapped, { room, keyId: sent.keyId }, memberId)).toEqual(key);
    }
    expectCryptoError(() => makeEpoch(ada.keys, room, undefined, [holderOf(bob)]));
  });

  it('are refused with a member whom nobody signed', () => {
    const withMallory = [...epochs[1]!.memberIds, mallory.memberId].toSorted();
    expect(refused(changed(1, { memberIds: withMallory }))).toEqual(problem('EPOCH_MEMBERS_FOREIGN', 'key 2', 'bob'));
    const membersDigest = digestOfMembers(withMallory);
    const both = { memberIds: withMallory, membersDigest };
    expect(refused(changed(1, both))).toEqual(problem('EPOCH_SIGNATURE_FOREIGN', 'key 2', 'bob'));
    expect(refused(changed(1, { memberIds: epochs[1]!.memberIds.slice(1) }))).toEqual(problem('EPOCH_MEMBERS_FOREIGN'));
    const twice = [...epochs[1]!.memberIds, cleo.memberId];
    expect(refused(changed(1, { memberIds: twice, membersDigest: digestOfMembers(twice.toSorted()) }))).toEqual(
      problem('EPOCH_MEMBERS_FOREIGN'),
    );
    expect(refused(changed(1, { memberIds: ['no hex'] }))).toEqual(problem('EPOCH_MEMBERS_FOREIGN'));
  });

  it('are refused with another key, another author, or a signature that is none', () => {
    for (const change of [
      { keyId: '00'.repeat(16) },
      { keyId: 'no hex' },
      { signature: '00' },
      { signature: 'no hex' },
    ])
      expect(refused(changed(1, change))).toEqual(problem('EPOCH_SIGNATURE_FOREIGN', 'bob'));
    expect(refused(changed(1, { authorId: ada.memberId }))).toEqual(problem('EPOCH_SIGNATURE_FOREIGN', 'ada'));
    expect(refused(changed(1, { signature: epochs[0]!.signature }))).toEqual(problem('EPOCH_SIGNATURE_FOREIGN'));
  });

  it('are refused in another order', () => {
    const [first, second, third] = epochs as [EpochFacts, EpochFacts, EpochFacts];
    expect(refused([first, third])).toEqual(problem('EPOCH_ORDER_FOREIGN', 'Key 3', 'ada'));
    expect(refused([second, first])).toEqual(problem('EPOCH_ORDER_FOREIGN', 'Key 1'));
    expect(refused([first, second, second])).toEqual(problem('EPOCH_ORDER_FOREIGN'));
    const known = checkEpochs(room, [first], undefined, called)[0]!;
    expect(refused([second], { ...known, keyId: '00'.repeat(16) })).toEqual(problem('EPOCH_ORDER_FOREIGN'));
    // The first one continues none, and each other one does.
    expect(refused([signed({ ...first, previousKeyId: second.keyId }, ada)])).toEqual(problem('EPOCH_ORDER_FOREIGN'));
    expect(refused([signed({ ...second, previousKeyId: null }, bob)])).toEqual(problem('EPOCH_ORDER_FOREIGN'));
  });

  it('are refused of somebody who did not have the key before, by their name', () => {
    const forged = signed({ ...epochs[1]!, memberIds: [ada, bob, mallory].map(({ memberId }) => memberId) }, mallory);
    expect(refused([epochs[0]!, forged])).toEqual(problem('EPOCH_AUTHOR_FOREIGN', 'mallory', mallory.memberId));
    // Bob is not in key 3 any more, and cannot make key 4.
    const late = signed({ ...epochs[2]!, epoch: 4, previousKeyId: epochs[2]!.keyId }, bob);
    expect(refused([...epochs, late])).toEqual(problem('EPOCH_AUTHOR_FOREIGN', 'bob', 'key 4'));
    const forOthers = signed({ ...epochs[1]!, memberIds: [ada.memberId] }, bob);
    expect(refused([epochs[0]!, forOthers])).toEqual(problem('EPOCH_AUTHOR_FOREIGN', 'bob', 'not for themselves'));
  });
});
