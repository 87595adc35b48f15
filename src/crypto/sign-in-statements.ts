import { assertLength, concat, utf8 } from './bytes.ts';

const DIRECT_LOGIN = utf8('conclave/direct-login/v1\n');
const SERVER_PROOF = utf8('conclave/server-proof/v1\n');
const CHALLENGE_LENGTH = 104;
const NONCE_LENGTH = 32;

/**
 * The statement that a member signs to sign in without a password. It names the node, so that a node can't use the signature at another
 * node, and it contains the whole challenge with its time and nonce.
 *
 * @param nodePublicKey 33 bytes, the key of the node that the member wants to sign in to
 * @param challenge 104 bytes
 * @throws CryptoError
 */
export function directLoginStatement(nodePublicKey: Uint8Array, challenge: Uint8Array): Uint8Array {
  assertLength('public key of the node', nodePublicKey, 33);
  assertLength('challenge', challenge, CHALLENGE_LENGTH);
  return concat(DIRECT_LOGIN, nodePublicKey, challenge);
}

/**
 * The statement that a node signs to prove its key to a client, before the client sends a password.
 *
 * @param nodePublicKey 33 bytes
 * @param nonce 32 random bytes from the client
 * @throws CryptoError
 */
export function serverProofStatement(nodePublicKey: Uint8Array, nonce: Uint8Array): Uint8Array {
  assertLength('public key of the node', nodePublicKey, 33);
  assertLength('nonce', nonce, NONCE_LENGTH);
  return concat(SERVER_PROOF, nodePublicKey, nonce);
}
