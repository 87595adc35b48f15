import { fromHex, systemRandom, type Random } from '../../bytes.ts';
import { canonicalJsonBytes } from '../../canonical-json.ts';
import { eciesDecrypt, eciesEncrypt } from '../../ecies.ts';

/** The session that a share is contributed to. */
export interface ContributionPlace {
  readonly sessionId: string;
  readonly documentId: string;
  readonly generation: number;
  readonly memberId: string;
  /** compressed, hex */
  readonly ephemeralPublicKey: string;
}

function context({ sessionId, documentId, generation, memberId, ephemeralPublicKey }: ContributionPlace): Uint8Array {
  const fields = { sessionId, documentId, generation, memberId, ephemeralPublicKey };
  return canonicalJsonBytes({ t: 'conclave-quorum-contributed-share', v: 1, ...fields });
}

/** A member encrypts their share to the client that asked. It opens in this session alone. @throws CryptoError */
export function wrapContribution(
  share: Uint8Array,
  place: ContributionPlace,
  random: Random = systemRandom,
): Uint8Array {
  return eciesEncrypt(fromHex(place.ephemeralPublicKey), share, context(place), 'basic', random);
}

/** @param privateKey of the session's ephemeral key. @throws CryptoError when it is damaged or from another session or member */
export function openContribution(privateKey: Uint8Array, encrypted: Uint8Array, place: ContributionPlace): Uint8Array {
  return eciesDecrypt(privateKey, encrypted, context(place));
}
