import { systemRandom, toHex } from '../../crypto/bytes.ts';
import { deriveIdentity } from '../../crypto/identity.ts';
import { generateMnemonic, mnemonicToSeed } from '../../crypto/mnemonic.ts';

const WORDS = 24;

export interface NewMember {
  /** 24 words, which only the member should have */
  readonly mnemonic: string;
  /** compressed, hex */
  readonly publicKey: string;
  /** positions of three words that show whether the phrase was written down, from 1, in order */
  readonly asked: readonly number[];
}

/** A new key pair for a member of the quorum, made in this process. */
export async function newMember(): Promise<NewMember> {
  const mnemonic = generateMnemonic(WORDS);
  const seed = await mnemonicToSeed(mnemonic);
  const { publicKey } = deriveIdentity(seed);
  seed.fill(0);
  return { mnemonic, publicKey: toHex(publicKey), asked: threeOf(WORDS) };
}

/** Three different numbers from 1. Bytes above the largest multiple are drawn again, so each number is as likely as the others. */
function threeOf(most: number): number[] {
  const chosen = new Set<number>();
  while (chosen.size < 3) {
    const [byte = 0] = systemRandom(1);
    if (byte < 256 - (256 % most)) chosen.add((byte % most) + 1);
  }
  return [...chosen].toSorted((one, other) => one - other);
}
