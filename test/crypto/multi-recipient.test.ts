import { createCipheriv, hkdfSync } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concat, fromHex, toHex, utf8 } from '../../src/crypto/bytes.ts';
import { eciesDecrypt, eciesEncrypt } from '../../src/crypto/ecies.ts';
import { generateKeyPair } from '../../src/crypto/key-pair.ts';
import { decryptAsRecipient, encryptForMany, recipientIds } from '../../src/crypto/multi-recipient.ts';
import { memberIdOf } from '../../src/crypto/public-key.ts';
import formats from '../vectors/formats.json' with { type: 'json' };
import { damaged, expectCryptoError, flipped, resultOrCryptoError } from './damage.ts';
import { runs } from '../support/stage.ts';

const context = utf8('a test for many');
const people = Array.from({ length: 3 }, () => person());
const message = encryptForMany(people, utf8('plaintext'), context);

describe('encryption for many', () => {
  it('opens for each recipient and for nobody else', () => {
    for (const { id, privateKey } of people) {
      expect(decryptAsRecipient(id, privateKey, message, context)).toEqual(utf8('plaintext'));
      expect(decryptAsRecipient(id.toUpperCase(), privateKey, message, context)).toEqual(utf8('plaintext'));
    }
    const [first, second] = people as [Person, Person, Person];
    const stranger = person();
    expectCryptoError(() => decryptAsRecipient(stranger.id, stranger.privateKey, message, context));
    expectCryptoError(() => decryptAsRecipient(first.id, stranger.privateKey, message, context));
    expectCryptoError(() => decryptAsRecipient(first.id, second.privateKey, message, context));
    expectCryptoError(() => decryptAsRecipient(first.id, first.privateKey, message, utf8('another context')));
  });

  it('has the documented layout', () => {
    expect(message).toHaveLength(3 + 33 + 1 + 3 * (12 + 48) + 16 + 16 + 9);
    expect([...message.subarray(0, 3), message[36]]).toEqual([0x01, 0x01, 0x63, 3]);
    expect(recipientIds(message)).toEqual(people.map(({ id }) => id));
  });

  it('round trips any plaintext', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 500 }),
        fc.integer({ min: 1, max: 3 }),
        (plaintext, count) => {
          const sealed = encryptForMany(people.slice(0, count), plaintext, context);
          const last = people[count - 1] as Person;
          expect(decryptAsRecipient(last.id, last.privateKey, sealed, context)).toEqual(plaintext);
        },
      ),
      { numRuns: runs(10) },
    );
  });

  it('takes 255 recipients', () => {
    const { publicKey, privateKey } = generateKeyPair();
    const many = Array.from({ length: 255 }, (_, index) => ({ id: index.toString(16).padStart(24, '0'), publicKey }));
    const sealed = encryptForMany(many, utf8('x'), context);
    for (const index of [0, 127, 254]) {
      expect(decryptAsRecipient((many[index] as { id: string }).id, privateKey, sealed, context)).toEqual(utf8('x'));
    }
    expectCryptoError(() => encryptForMany([...many, { id: 'f'.repeat(24), publicKey }], utf8('x'), context));
  });

  it('never wraps alike, even for one key under two ids', () => {
    const [{ publicKey }] = people as [Person];
    const twice = encryptForMany(
      [
        { id: '0'.repeat(24), publicKey },
        { id: '1'.repeat(24), publicKey },
      ],
      utf8('x'),
      context,
    );
    const wrapped = [0, 1].map((index) => toHex(twice.subarray(37 + index * 60 + 12 + 16, 37 + index * 60 + 60)));
    // The same key and nonce would give the same bytes.
    expect(wrapped[0]).not.toBe(wrapped[1]);
  });

  it('refuses no recipients, duplicates, bad ids and keys, and no plaintext', () => {
    const [first, second] = people as [Person, Person];
    expectCryptoError(() => encryptForMany([], utf8('x'), context));
    expectCryptoError(() =>
      encryptForMany([first, second, { ...second, id: first.id.toUpperCase() }], utf8('x'), context),
    );
    for (const id of ['', '00', 'x'.repeat(24), '0'.repeat(26)])
      expectCryptoError(() => encryptForMany([{ ...first, id }], utf8('x'), context));
    expectCryptoError(() => encryptForMany([{ ...first, publicKey: new Uint8Array(33) }], utf8('x'), context));
    expectCryptoError(() => encryptForMany([first], new Uint8Array(), context));
  });

  it('refuses whatever was damaged, for every recipient', () => {
    fc.assert(
      fc.property(damaged(message), fc.constantFrom(...people), (bytes, { id, privateKey }) => {
        expectCryptoError(() => decryptAsRecipient(id, privateKey, bytes, context));
        resultOrCryptoError(() => recipientIds(bytes));
      }),
      { numRuns: runs(60) },
    );
  });

  it("authenticates every byte of the header, other recipients' included", () => {
    const [{ id, privateKey }] = people as [Person];
    for (let byte = 0; byte < 37 + 3 * 60 + 16; byte += 1) {
      expectCryptoError(() => decryptAsRecipient(id, privateKey, flipped(message, byte * 8 + (byte % 8)), context));
    }
  });

  it('commits its sender to one key: another IV than that of the key is refused, however well it is authenticated', () => {
    const [{ id, privateKey, publicKey }] = people as [Person];
    const honest = encryptByTheDocument(id, publicKey, (iv) => iv);
    expect(decryptAsRecipient(id, privateKey, honest, context)).toEqual(utf8('plaintext'));
    const forged = encryptByTheDocument(id, publicKey, (iv) => flipped(iv, 0));
    expectCryptoError(() => decryptAsRecipient(id, privateKey, forged, context), 'message is damaged');
  });

  it('says what it does not know: version, suite, type', () => {
    const [{ id, privateKey }] = people as [Person];
    const read = (byte: number) => decryptAsRecipient(id, privateKey, flipped(message, byte * 8), context);
    expectCryptoError(() => read(0), 'message has an unknown version or suite');
    expectCryptoError(() => read(1), 'message has an unknown version or suite');
    expectCryptoError(() => read(2), 'message is of another type');
  });

  it('refuses a message that names one recipient twice', () => {
    const [first] = people as [Person];
    const forged = Uint8Array.from(message);
    forged.set(fromHex(first.id), 37 + 60);
    expectCryptoError(() => recipientIds(forged));
    expectCryptoError(() => decryptAsRecipient(first.id, first.privateKey, forged, context));
  });

  it('is not read as a message for one, or the other way round', () => {
    const [{ id, privateKey, publicKey }] = people as [Person];
    expectCryptoError(() => eciesDecrypt(privateKey, message, context));
    expectCryptoError(() =>
      decryptAsRecipient(id, privateKey, eciesEncrypt(publicKey, new Uint8Array(200), context), context),
    );
  });

  it('opens what an earlier version sealed', () => {
    const { recipientId, privateKey, context: about, plaintext, message: stored } = formats.multiRecipient;
    expect(toHex(decryptAsRecipient(recipientId, fromHex(privateKey), fromHex(stored), utf8(about)))).toBe(plaintext);
  });
});

/** Encrypts for one recipient as the layout is written down, over other code than that under test; with another IV in the message, if wanted. */
function encryptByTheDocument(id: string, publicKey: Uint8Array, change: (iv: Uint8Array) => Uint8Array): Uint8Array {
  const ephemeral = generateKeyPair();
  const x = secp256k1.getSharedSecret(ephemeral.privateKey, publicKey, true).subarray(1);
  const derive = (secret: Uint8Array, salt: Uint8Array, info: Uint8Array) => {
    const out = new Uint8Array(hkdfSync('sha256', secret, salt, info, 48));
    return { key: out.subarray(0, 32), iv: out.subarray(32) };
  };
  const seal = ({ key, iv }: { key: Uint8Array; iv: Uint8Array }, plaintext: Uint8Array, aad: Uint8Array) => {
    const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: 16 }).setAAD(aad);
    const ciphertext = concat(cipher.update(plaintext), cipher.final());
    return concat(cipher.getAuthTag(), ciphertext);
  };
  const secret = new Uint8Array(32).fill(7);
  const fixed = concat(Uint8Array.of(1, 1, 0x63), ephemeral.publicKey, Uint8Array.of(1));
  const wrap = derive(
    x,
    concat(ephemeral.publicKey, publicKey),
    concat(utf8('conclave/ecies-multi/wrap/v1'), fromHex(id)),
  );
  const content = derive(secret, ephemeral.publicKey, utf8('conclave/ecies-multi/content/v1'));
  const header = concat(fixed, fromHex(id), seal(wrap, secret, concat(fixed, context)), change(content.iv));
  return concat(header, seal(content, utf8('plaintext'), concat(header, context)));
}

interface Person {
  readonly id: string;
  readonly publicKey: Uint8Array;
  readonly privateKey: Uint8Array;
}

function person(): Person {
  const pair = generateKeyPair();
  return { id: memberIdOf(pair.publicKey), ...pair };
}
