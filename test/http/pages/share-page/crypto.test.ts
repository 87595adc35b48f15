import { createHash } from 'node:crypto';
import { unzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { fromHex, systemRandom, toHex, utf8 } from '../../../../src/crypto/bytes.ts';
import { sealMessage } from '../../../../src/crypto/formats/file-content/chunked-encryption.ts';
import { eciesEncrypt } from '../../../../src/crypto/ecies.ts';
import {
  blockContext,
  manifestContext,
  sharedKeyContext,
} from '../../../../src/crypto/formats/file-content/file-content.ts';
import {
  blockLabel,
  manifestLabel,
  sharedKeyLabel,
} from '../../../../src/crypto/formats/file-content/content-format.ts';
import { deriveIdentity } from '../../../../src/crypto/identity.ts';
import { generateKeyPair } from '../../../../src/crypto/key-pair.ts';
import { generateMnemonic, mnemonicToSeed } from '../../../../src/crypto/mnemonic.ts';
import { importContentKey, openWhole } from '../../../../src/http/pages/share-page/chunked.ts';
import { openSealed, publicKeyOf } from '../../../../src/http/pages/share-page/ecies.ts';
import { fromBase64Text, fromHexText } from '../../../../src/http/pages/share-page/octets.ts';
import { readRecipientKey } from '../../../../src/http/pages/share-page/recipient-key.ts';
import vectors from '../../../vectors/c2sp-chunked-encryption.json' with { type: 'json' };

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe('chunked encryption in the page', () => {
  const known = vectors.tests
    .filter(({ key }) => key.length === 64)
    .map((one) => Object.assign({ message: unzipSync(fromHex(one.ct)) }, one));
  const open = async (key: string, ctx: string, message: Uint8Array) =>
    await openWhole(await importContentKey(new Uint8Array(fromHex(key))), fromHex(ctx), message);

  it.each(known.filter(({ result }) => result === 'valid'))('opens $tcId: $comment', async (vector) => {
    const opened = await open(vector.key, vector.ctx, vector.message);
    expect(opened).toHaveLength(vector.msgLength ?? -1);
    expect(createHash('sha512').update(opened!).digest('hex')).toBe(vector.msgSha512);
  });

  it.each(known.filter(({ result }) => result === 'invalid'))('refuses $tcId: $comment', async (vector) => {
    expect(await open(vector.key, vector.ctx, vector.message)).toBeUndefined();
  });

  it('opens what the node seals, and nothing that differs in a bit', async () => {
    const [key, content] = [systemRandom(32), systemRandom(40_000)];
    const named = { id: 'c', file_id: 'f' };
    const message = sealMessage(key, blockContext(named, 7), systemRandom(24), content);
    const contentKey = await importContentKey(new Uint8Array(key));
    expect(toHex((await openWhole(contentKey, blockContext(named, 7), message))!)).toBe(toHex(content));
    expect(await openWhole(contentKey, blockContext(named, 8), message)).toBeUndefined();
    for (const at of [0, 24, 56, 20_000, message.length - 1]) {
      const wrong = Uint8Array.from(message);
      wrong[at] = (wrong[at] ?? 0) ^ 1;
      expect(await openWhole(contentKey, blockContext(named, 7), wrong)).toBeUndefined();
    }
    const shorter = message.subarray(0, 56 + 16_400);
    expect(await openWhole(contentKey, blockContext(named, 7), shorter)).toBeUndefined();
  });
});

describe('keys in the page', () => {
  it('has the contexts that the node has', () => {
    const named = { id: 'content', file_id: 'file' };
    expect(blockContext(named, 3)).toEqual(utf8(blockLabel(named, 3)));
    expect(manifestContext(named)).toEqual(utf8(manifestLabel(named)));
    expect(sharedKeyContext('share', named)).toEqual(utf8(sharedKeyLabel('share', named)));
  });

  it('opens what the node encrypts to a key, for that context and key alone', async () => {
    const { privateKey, publicKey } = generateKeyPair();
    const message = eciesEncrypt(publicKey, utf8('a key'), utf8('a context'));
    expect(text((await openSealed(privateKey, message, 'a context'))!)).toBe('a key');
    expect(await openSealed(privateKey, message, 'another context')).toBeUndefined();
    expect(await openSealed(generateKeyPair().privateKey, message, 'a context')).toBeUndefined();
    for (let at = 0; at < message.length; at += 1) {
      const wrong = Uint8Array.from(message);
      wrong[at] = (wrong[at] ?? 0) ^ 1;
      expect(await openSealed(privateKey, wrong, 'a context')).toBeUndefined();
    }
    expect(await openSealed(privateKey, message.subarray(0, 68), 'a context')).toBeUndefined();
    expect(await openSealed(new Uint8Array(32), message, 'a context')).toBeUndefined();
    expect([publicKeyOf(privateKey), publicKeyOf(new Uint8Array(32))]).toEqual([publicKey, undefined]);
  });

  it('reads the key of a recipient from a phrase, as the node derives it, or from hex', async () => {
    for (const words of [12, 24] as const) {
      const phrase = generateMnemonic(words);
      const { privateKey } = deriveIdentity(await mnemonicToSeed(phrase));
      const typed = `  ${phrase.toUpperCase().replaceAll(' ', '\n ')} `;
      expect([await readRecipientKey(phrase), await readRecipientKey(typed)]).toEqual([privateKey, privateKey]);
      for (const hex of [toHex(privateKey), `0x${toHex(privateKey).toUpperCase()}`])
        expect(await readRecipientKey(hex)).toEqual(privateKey);
    }
    const wrong = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon';
    for (const nothing of ['', 'ab', 'g'.repeat(64), wrong, `${generateMnemonic(12)} zoo`])
      expect(await readRecipientKey(nothing)).toBeUndefined();
  });

  it('reads hex and base64, and nothing else', () => {
    expect(fromHexText('00fFa0')).toEqual(Uint8Array.of(0, 255, 160));
    expect([fromHexText('0'), fromHexText('0g')]).toEqual([undefined, undefined]);
    expect([fromBase64Text('_-8'), fromBase64Text('/+8=')]).toEqual([Uint8Array.of(255, 239), Uint8Array.of(255, 239)]);
    expect(fromBase64Text('a b*')).toBeUndefined();
  });
});
