import { describe, expect, it } from 'vitest';
import { openDraft, sealDraft } from '../../../src/client/chat/sealed-drafts.ts';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';

const place = { conversationId: '0a'.repeat(16), memberId: '0b'.repeat(12) };

describe('a draft that its author sealed', () => {
  it('opens for them in this conversation, and nowhere else', () => {
    const [own, other] = [generateKeyPair(), generateKeyPair()];
    const text = { content: 'Tea? ☕', replyToMessageId: '0c'.repeat(16) };
    const sealed = sealDraft(own, place, text);
    expect(openDraft(own, place, sealed)).toEqual(text);
    const refusal = expect.objectContaining({ code: 'MESSAGE_DAMAGED' });
    expect(() => openDraft(other, place, sealed)).toThrow(refusal);
    expect(() => openDraft(own, { ...place, conversationId: '0d'.repeat(16) }, sealed)).toThrow(refusal);
    expect(() => openDraft(own, { ...place, memberId: '0d'.repeat(12) }, sealed)).toThrow(refusal);
    expect(() => openDraft(own, place, sealed.slice(4))).toThrow(refusal);
    expect(() => openDraft(own, place, '')).toThrow(refusal);
  });

  it('says no more of its length than steps of 256 bytes, and fits if it is the longest', () => {
    const own = generateKeyPair();
    const sizeOf = (content: string) => Buffer.from(sealDraft(own, place, { content }), 'base64').length;
    expect(sizeOf('x')).toBe(sizeOf('é'.repeat(100)));
    expect(sizeOf('x')).toBe(256 + 33);
    expect(sizeOf('🫖'.repeat(8_000))).toBeLessThanOrEqual(46_080);
    expect(() => sizeOf('x'.repeat(8_001))).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
  });
});
