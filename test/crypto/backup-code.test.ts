import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concat, fromHex, systemRandom, toHex, uint32, utf8 } from '../../src/crypto/bytes.ts';
import {
  backupCodeTag,
  generateBackupCodes,
  normalizeBackupCode,
  openBackupCode,
  sealBackupCode,
} from '../../src/crypto/backup-code.ts';
import { eciesDecrypt, eciesEncrypt } from '../../src/crypto/ecies.ts';
import { generateKeyPair } from '../../src/crypto/key-pair.ts';
import { memberIdOf } from '../../src/crypto/public-key.ts';
import formats from '../vectors/formats.json' with { type: 'json' };
import { damaged, expectCryptoError, expectCryptoRejection } from './damage.ts';
import { runs } from '../support/stage.ts';

const cheap = { memoryKiB: 8, passes: 1, lanes: 1 };
const node = generateKeyPair();
const member = generateKeyPair();
const memberId = memberIdOf(member.publicKey);
const [code, otherCode] = generateBackupCodes(2) as [string, string];

describe('backup codes', () => {
  it('are ten different ones of four groups of five', () => {
    const codes = generateBackupCodes();
    expect(new Set(codes).size).toBe(10);
    for (const each of codes) {
      expect(each).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){3}$/);
      expect(normalizeBackupCode(each)).toBe(each.replaceAll('-', ''));
    }
  });

  it('use every character equally often', () => {
    let next = 0;
    const everyByte = (size: number): Uint8Array => Uint8Array.from({ length: size }, () => next++);
    // 32 bytes give every character once, so eight codes of 20 give each five times.
    const characters = generateBackupCodes(8, everyByte).join('').replaceAll('-', '').split('');
    for (const character of new Set(characters)) {
      expect(characters.filter((each) => each === character)).toHaveLength(5);
    }
    expect(new Set(characters).size).toBe(32);
  });

  it('refuse a source that repeats itself or runs short', () => {
    expectCryptoError(() => generateBackupCodes(10, (size) => new Uint8Array(size)));
    expectCryptoError(() => generateBackupCodes(10, () => new Uint8Array(19)));
    expectCryptoError(() => generateBackupCodes(0));
  });

  it('compare without case, dashes, spaces and look-alikes', () => {
    const plain = '0123456789ABCDEFGH10';
    for (const typed of [
      '01234-56789-ABCDE-FGH10',
      '01234 56789 abcde fgh10',
      ' o1234—56789–abcdefghIo\n',
      'oL2345'.replace('L2345', '123456789abcdefghlO'),
    ]) {
      expect(normalizeBackupCode(typed)).toBe(plain);
    }
  });

  it.each([
    '',
    '0123',
    '0123456789ABCDEFGH1',
    '0123456789ABCDEFGH101',
    '0123456789ABCDEFGH1U',
    '0123456789ABCDEFGH1é',
    'x'.repeat(200),
    '\ud800'.repeat(20),
  ])('refuse %.25j', (text) => {
    expectCryptoError(() => normalizeBackupCode(text));
    expectCryptoError(() => backupCodeTag(new Uint8Array(32), memberId, text));
  });

  it('refuse any other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
        expectCryptoError(() => normalizeBackupCode(`${text}U`));
      }),
    );
  });

  it('have tags bound to key and member, the same for every spelling', () => {
    const key = systemRandom(32);
    const tag = backupCodeTag(key, memberId, code);
    expect(tag).toMatch(/^[0-9a-f]{64}$/);
    expect(backupCodeTag(key, memberId, code.toLowerCase().replaceAll('-', ' '))).toBe(tag);
    expect(backupCodeTag(key, '0'.repeat(24), code)).not.toBe(tag);
    expect(backupCodeTag(systemRandom(32), memberId, code)).not.toBe(tag);
    expect(backupCodeTag(key, memberId, otherCode)).not.toBe(tag);
    expectCryptoError(() => backupCodeTag(key, 'me', code));
  });
});

describe('sealed backup codes', () => {
  it('give the private key back to the right code', async () => {
    const sealed = await sealBackupCode(code, memberId, member.privateKey, node.publicKey, cheap);
    expect(await openBackupCode(code, memberId, sealed, node.privateKey)).toEqual(member.privateKey);
    expect(await openBackupCode(` ${code.toLowerCase()} `, memberId, sealed, node.privateKey)).toEqual(
      member.privateKey,
    );
  });

  it('say null to the right code where there was no private key', async () => {
    const sealed = await sealBackupCode(code, memberId, null, node.publicKey, cheap);
    expect(await openBackupCode(code, memberId, sealed, node.privateKey)).toBeNull();
    await expectCryptoRejection(openBackupCode(otherCode, memberId, sealed, node.privateKey));
  });

  it('refuse another code, member and node', async () => {
    const sealed = await sealBackupCode(code, memberId, member.privateKey, node.publicKey, cheap);
    await expectCryptoRejection(openBackupCode(otherCode, memberId, sealed, node.privateKey));
    await expectCryptoRejection(openBackupCode('no code', memberId, sealed, node.privateKey));
    await expectCryptoRejection(openBackupCode(code, '0'.repeat(24), sealed, node.privateKey));
    await expectCryptoRejection(openBackupCode(code, memberId, sealed, generateKeyPair().privateKey));
  });

  it('refuse whatever was damaged', async () => {
    const sealed = await sealBackupCode(code, memberId, member.privateKey, node.publicKey, cheap);
    await fc.assert(
      fc.asyncProperty(damaged(sealed), async (bytes) => {
        await expectCryptoRejection(openBackupCode(code, memberId, bytes, node.privateKey));
      }),
      { numRuns: runs(60) },
    );
  });

  it("refuse keys, ids and parameters that can't be", async () => {
    await expectCryptoRejection(sealBackupCode(code, memberId, new Uint8Array(31), node.publicKey, cheap));
    await expectCryptoRejection(sealBackupCode(code, 'me', null, node.publicKey, cheap));
    await expectCryptoRejection(sealBackupCode(code, memberId, null, new Uint8Array(33), cheap));
    await expectCryptoRejection(sealBackupCode('code', memberId, null, node.publicKey, cheap));
    await expectCryptoRejection(sealBackupCode(code, memberId, null, node.publicKey, { ...cheap, lanes: 300 }));
  });

  it('compute nothing that is dearer than anything ever written, or cheaper than Argon2 can be', async () => {
    const sealed = await sealBackupCode(code, memberId, null, node.publicKey, cheap);
    const context = concat(utf8('conclave/backup-code/v1'), fromHex(memberId));
    const record = eciesDecrypt(node.privateKey, sealed, context);
    // Whoever writes the rows can encrypt to the node's key as well as the node can.
    for (const [memoryKiB, passes, lanes, reason] of [
      [8, 65, 1, 'Argon2 passes must be an integer from 1 to 64'],
      [8, 0, 1, 'Argon2 passes must be an integer from 1 to 64'],
      [7, 1, 1, 'Argon2 memory in KiB must be an integer from 8 to 2097152'],
      [2 ** 21 + 1, 1, 1, 'Argon2 memory in KiB must be an integer from 8 to 2097152'],
      [8 * 17, 1, 17, 'Argon2 lanes must be an integer from 1 to 16'],
      [8, 1, 0, 'Argon2 lanes must be an integer from 1 to 16'],
    ] as const) {
      const other = concat(
        record.slice(0, 1),
        uint32(memoryKiB),
        uint32(passes),
        Uint8Array.of(lanes),
        record.slice(10),
      );
      const forged = eciesEncrypt(node.publicKey, other, context);
      await expectCryptoRejection(openBackupCode(code, memberId, forged, node.privateKey), reason);
    }
  });

  it('open what an earlier version sealed', async () => {
    const stored = formats.backupCode;
    const opened = await openBackupCode(
      stored.code,
      stored.memberId,
      fromHex(stored.sealed),
      fromHex(stored.nodePrivateKey),
    );
    expect(toHex(opened as Uint8Array)).toBe(stored.privateKey);
  });
});
