import { assertLength, concat, utf8 } from './bytes.ts';

const DIRECT_LOGIN = utf8('conclave/direct-login/v1\n');
const SERVER_PROOF = utf8('conclave/server-proof/v1\n');
const CHALLENGE_LENGTH = 104;
const NONCE_LENGTH = 32;

/**
 * What a member signs to sign in without a password: which node that is for, so that what one node got is worth nothing at another,
 * and the whole challenge with its time and nonce.
 *
 * @param nodePublicKey 33 bytes, of the node that the member means to sign in at
 * @param challenge 104 bytes
 * @throws CryptoError
 */
export function directLoginStatement(nodePublicKey: Uint8Array, challenge: Uint8Array): Uint8Array {
  assertLength('public key of the node', nodePublicKey, 33);
  assertLength('challenge', challenge, CHALLENGE_LENGTH);
  return concat(DIRECT_LOGIN, nodePublicKey, challenge);
}

/**
 * What a node signs to prove its key to a client, before that sends a password.
 *
 * @param nodePublicKey 33 bytes
 * @param nonce 32 bytes that the client made up
 * @throws CryptoError
 */
export function serverProofStatement(nodePublicKey: Uint8Array, nonce: Uint8Array): Uint8Array {
  assertLength('public key of the node', nodePublicKey, 33);
  assertLength('nonce', nonce, NONCE_LENGTH);
  return concat(SERVER_PROOF, nodePublicKey, nonce);
}
