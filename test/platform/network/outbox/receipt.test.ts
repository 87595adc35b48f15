import { describe, expect, it } from 'vitest';
import { generateKeyPair } from '../../../../src/crypto/key-pair.ts';
import { verifierOf } from '../../../../src/crypto/signature.ts';
import {
  receiptVerifier,
  signReceipts,
  type Receipt,
  type Statement,
} from '../../../../src/platform/network/outbox/receipt.ts';

const identity = generateKeyPair();
const statement = (id: string): Statement => ({
  poolId: 'ab'.repeat(32),
  version: 3,
  sender: '1'.repeat(40),
  receiver: '2'.repeat(40),
  channel: 'test',
  id,
  bodyHash: 'cd'.repeat(32),
  result: { outcome: 'acknowledged' },
  at: 1_768_478_400_000,
});
const statements = (count: number) => Array.from({ length: count }, (_, at) => statement(`m${at}`));

describe('a receipt', () => {
  it.each([1, 2, 3, 7, 8, 128])('stands alone, also when it was signed with others: %i', (count) => {
    for (const receipt of signReceipts(identity, statements(count)))
      expect(receiptVerifier(verifierOf(identity.publicKey))(receipt)).toBe(true);
  });

  const changes: Partial<Receipt>[] = [
    { poolId: 'ac'.repeat(32) },
    { version: 4 },
    { sender: '3'.repeat(40) },
    { receiver: '3'.repeat(40) },
    { channel: 'other' },
    { id: 'm3' },
    { bodyHash: 'ce'.repeat(32) },
    { result: { outcome: 'refused', code: 'NOT_FOUND', reason: '' } },
    { at: 1_768_478_400_001 },
    { index: 1 },
    { size: 4 },
    { path: '' },
    { path: 'AAAA' },
  ];
  it.each(changes)('is good for nothing else: %j', (change) => {
    const verify = receiptVerifier(verifierOf(identity.publicKey));
    const [, , receipt] = signReceipts(identity, statements(5)) as [Receipt, Receipt, Receipt];
    expect(verify(receipt)).toBe(true);
    expect(verify({ ...receipt, ...change })).toBe(false);
  });

  it('is good only with the key that signed it', () => {
    const [receipt] = signReceipts(identity, statements(1)) as [Receipt];
    expect(receiptVerifier(verifierOf(generateKeyPair().publicKey))(receipt)).toBe(false);
  });
});
