import { describe, expect, it } from 'vitest';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { openContribution, wrapContribution } from '../../../src/crypto/formats/quorum/contribution.ts';
import {
  headerText,
  joinKey,
  openDocument,
  sealDocument,
  unwrapShare,
  wrapKey,
  type SharePlace,
} from '../../../src/crypto/formats/quorum/document.ts';
import {
  confirmationStatement,
  contributionStatement,
  hashOfAction,
  linkStatement,
  voteStatement,
} from '../../../src/crypto/formats/quorum/statements.ts';
import { toHex } from '../../../src/crypto/bytes.ts';
import { memberIdOf } from '../../../src/crypto/public-key.ts';

const documentId = '0a'.repeat(16);
const place = { documentId, epochNumber: 3, generation: 1 };
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function people(count: number) {
  return Array.from({ length: count }, () => {
    const keys = generateKeyPair();
    return { ...keys, memberId: memberIdOf(keys.publicKey) };
  });
}

describe('a sealed document', () => {
  const key = new Uint8Array(32).fill(7);
  const header = headerText({ ...place, creatorId: '0b'.repeat(12), memberIds: ['0c'.repeat(12)], sharesRequired: 2 });
  const content = new TextEncoder().encode('{"a":1}');

  it('opens with its key and its header alone', () => {
    const sealed = sealDocument(key, header, content);
    expect(text(openDocument(key, header, sealed))).toBe('{"a":1}');
    expect(() => openDocument(new Uint8Array(32).fill(8), header, sealed)).toThrow('damaged');
    expect(() => openDocument(key, header.replace('"sharesRequired":2', '"sharesRequired":1'), sealed)).toThrow(
      'damaged',
    );
  });

  it('has a header whose bytes are fixed', () => {
    expect(header).toBe(
      `{"creatorId":"${'0b'.repeat(12)}","documentId":"${documentId}","epochNumber":3,"generation":1,` +
        `"memberIds":["${'0c'.repeat(12)}"],"sharesRequired":2,"t":"conclave-quorum-document","v":1}`,
    );
  });
});

describe('wrapped shares', () => {
  it('give the key back from any that are enough, and not from fewer', async () => {
    const members = people(4);
    const key = crypto.getRandomValues(new Uint8Array(32));
    const wrapped = await wrapKey(key, members, 3, place);
    const shares = wrapped.map((one, at) =>
      unwrapShare(members[at]!.privateKey, one, { ...place, memberId: members[at]!.memberId }),
    );
    for (let left = 0; left < 4; left += 1) {
      const three = shares.filter((_, at) => at !== left);
      expect(toHex(await joinKey(three))).toBe(toHex(key));
    }
    expect(toHex(await joinKey(shares.slice(0, 2)))).not.toBe(toHex(key));
  });

  it('open for their member, document, epoch and generation alone', async () => {
    const members = people(2);
    const [one] = await wrapKey(new Uint8Array(32).fill(1), members, 2, place);
    const own: SharePlace = { ...place, memberId: members[0]!.memberId };
    const open = (change: Partial<SharePlace>, of = members[0]!) =>
      unwrapShare(of.privateKey, one!, { ...own, ...change });
    expect(open({})).toHaveLength(33);
    expect(() => open({ documentId: 'ff'.repeat(16) })).toThrow('damaged');
    expect(() => open({ epochNumber: 4 })).toThrow('damaged');
    expect(() => open({ generation: 2 })).toThrow('damaged');
    expect(() => open({ memberId: members[1]!.memberId })).toThrow('damaged');
    expect(() => open({}, members[1])).toThrow('damaged');
  });

  it('are the ones that were committed to', async () => {
    const members = people(2);
    const [one, two] = await wrapKey(new Uint8Array(32).fill(1), members, 2, place);
    const mixed = { ...one!, commitment: two!.commitment };
    const own = { ...place, memberId: members[0]!.memberId };
    expect(() => unwrapShare(members[0]!.privateKey, mixed, own)).toThrow('share is not the one that was made');
  });
});

describe('a contributed share', () => {
  it('opens with the key of its session, and for its member alone', () => {
    const ephemeral = generateKeyPair();
    const to = {
      sessionId: '0d'.repeat(16),
      documentId,
      generation: 1,
      memberId: '0c'.repeat(12),
      ephemeralPublicKey: toHex(ephemeral.publicKey),
    };
    const share = new Uint8Array(33).fill(5);
    const wrapped = wrapContribution(share, to);
    expect(toHex(openContribution(ephemeral.privateKey, wrapped, to))).toBe(toHex(share));
    for (const change of [{ sessionId: '0e'.repeat(16) }, { memberId: '0f'.repeat(12) }, { generation: 2 }])
      expect(() => openContribution(ephemeral.privateKey, wrapped, { ...to, ...change })).toThrow('damaged');
    expect(() => openContribution(generateKeyPair().privateKey, wrapped, to)).toThrow('damaged');
  });
});

describe('a statement', () => {
  const ids = { memberId: '0c'.repeat(12), documentId, generation: 2 };

  it('is canonical JSON that says what it is for', () => {
    const vote = {
      nodeId: 'aa',
      proposalId: 'bb',
      actionHash: 'cc',
      epochNumber: 4,
      voterMemberId: 'dd',
      decision: 'approve' as const,
      comment: null,
    };
    expect(text(voteStatement(vote))).toBe(
      '{"actionHash":"cc","comment":null,"decision":"approve","epochNumber":4,"nodeId":"aa","proposalId":"bb","t":"conclave-quorum-vote","v":1,"voterMemberId":"dd"}',
    );
    expect(text(linkStatement({ nodeId: 'aa', memberId: 'bb', accountId: 'cc' }))).toBe(
      '{"accountId":"cc","memberId":"bb","nodeId":"aa","t":"conclave-quorum-link","v":1}',
    );
    const purposes = [
      contributionStatement({ ...ids, sessionId: 'ee', ephemeralPublicKey: '02', shareHash: 'ff' }),
      confirmationStatement({ ...ids, reshareId: 'ee', commitment: 'ff' }),
    ].map((bytes) => (JSON.parse(text(bytes)) as { t: string }).t);
    expect(purposes).toEqual(['conclave-quorum-contribution', 'conclave-quorum-confirmation']);
  });

  it('about an action does not depend on the order of its fields', () => {
    expect(hashOfAction('CUSTOM', { a: 1, b: 2 })).toBe(hashOfAction('CUSTOM', { b: 2, a: 1 }));
    expect(hashOfAction('CUSTOM', { a: 1 })).not.toBe(hashOfAction('BAN_MEMBER', { a: 1 }));
  });
});
