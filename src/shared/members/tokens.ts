import { decodeJwt, errors, jwtVerify, SignJWT, type JWTPayload } from 'jose';
import type { MemberType } from '../../service/actor.ts';
import { operatorId } from '../../service/actor.ts';
import type { NodeKeys } from '../../config/node-keys.ts';
import type { Clock } from '../../service/context.ts';

const JTI_LENGTH = 32;
const OPERATOR_AUDIENCE = 'operator';
/** An operator token is made for a single call. */
const OPERATOR_SECONDS = 60;

/** The claims of a session token. Clients show username and type; the node itself reads them from its store. */
export interface SessionClaims {
  readonly memberId: string;
  readonly username: string;
  readonly type: MemberType;
  /** 32 bytes */
  readonly jti: Uint8Array;
  /** seconds since 1970 */
  readonly iat: number;
  readonly exp: number;
}

/** @param key 32 bytes */
export async function signSessionToken(key: Uint8Array, claims: SessionClaims): Promise<string> {
  const { memberId, username, type, jti, iat, exp } = claims;
  return await new SignJWT({ memberId, username, type })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setJti(Buffer.from(jti).toString('base64url'))
    .setIssuedAt(iat)
    .setExpirationTime(exp)
    .sign(key);
}

/** @returns undefined for a token that is malformed, expired, incomplete, signed otherwise than HS256 or with another key */
export async function readSessionToken(
  key: Uint8Array,
  token: string,
  nowMs: number,
): Promise<SessionClaims | undefined> {
  const payload = await verified(key, token, nowMs);
  return payload && claimsOf(payload, nowMs);
}

/** The jti of a token that was verified before, character by character. 32 bytes */
export function jtiOf(token: string): Uint8Array {
  const [, payload = ''] = token.split('.', 2);
  const { jti = '' } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as JWTPayload;
  return new Uint8Array(Buffer.from(jti, 'base64url'));
}

/** Makes a token of type System, valid for one minute. It is for a caller that can read the node secret. */
export async function mintOperatorToken(keys: Pick<NodeKeys, 'operatorToken'>, clock: Clock): Promise<string> {
  const iat = Math.floor(clock.now() / 1000);
  return await new SignJWT({ type: 'System' })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setAudience(OPERATOR_AUDIENCE)
    .setSubject(operatorId)
    .setIssuedAt(iat)
    .setExpirationTime(iat + OPERATOR_SECONDS)
    .sign(keys.operatorToken);
}

/** Whether a token claims to be an operator token. Nothing is verified. */
export function looksLikeOperatorToken(token: string): boolean {
  try {
    return decodeJwt(token).aud === OPERATOR_AUDIENCE;
  } catch {
    return false;
  }
}

export async function isOperatorToken(key: Uint8Array, token: string, nowMs: number): Promise<boolean> {
  const payload = await verified(key, token, nowMs);
  if (payload === undefined) return false;
  const { aud, sub, iat, exp } = payload;
  if (payload['type'] !== 'System' || aud !== OPERATOR_AUDIENCE || sub !== operatorId) return false;
  if (typeof iat !== 'number' || typeof exp !== 'number') return false;
  return exp - iat <= OPERATOR_SECONDS && iat <= nowMs / 1000;
}

async function verified(key: Uint8Array, token: string, nowMs: number): Promise<JWTPayload | undefined> {
  try {
    const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], currentDate: new Date(nowMs) });
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

function claimsOf(payload: JWTPayload, nowMs: number): SessionClaims | undefined {
  const { iat, exp, jti: jtiText, aud } = payload;
  const memberId = payload['memberId'];
  const username = payload['username'];
  const type = payload['type'];
  if (aud !== undefined || typeof iat !== 'number' || typeof exp !== 'number' || exp * 1000 <= nowMs) return undefined;
  if (typeof memberId !== 'string' || typeof username !== 'string' || typeof jtiText !== 'string') return undefined;
  if (type !== 'User' && type !== 'Admin' && type !== 'System') return undefined;
  const jti = new Uint8Array(Buffer.from(jtiText, 'base64url'));
  return jti.length === JTI_LENGTH ? { memberId, username, type, jti, iat, exp } : undefined;
}
