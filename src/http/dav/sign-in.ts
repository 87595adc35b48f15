import type { TLSSocket } from 'node:tls';
import type { ServerRequest } from 'srvx';
import type { Actor, Caller } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { AnySpace } from '../../service/ports/dav.ts';
import { Problem } from '../../base/problem.ts';
import { basicCredentials } from '../basic-auth.ts';
import { peerAddress, trustedPeers } from '../client-address.ts';
import type { Serving } from '../serving.ts';

/** Whose request it is, and what the app password opens. */
export interface SignedIn {
  readonly actor: Actor;
  readonly spaces: readonly AnySpace[];
}

/**
 * Signs in with an app password (RFC 7617). Nothing else counts here: a token of a sign-in would open more than a program needs.
 *
 * @param wanted the spaces that the request is about: the password has to be for one of them
 * @throws Problem unauthenticated UNAUTHORIZED; forbidden INSUFFICIENT_SCOPE; tooMany RATE_LIMITED
 */
export async function signIn(
  ctx: Context,
  { serving, request, caller }: { serving: Serving; request: ServerRequest; caller: Caller },
  all: readonly AnySpace[],
  wanted: readonly AnySpace[],
): Promise<SignedIn> {
  const authorization = request.headers.get('authorization');
  if (authorization === null || !/^basic\s/i.test(authorization)) throw notSignedIn();
  const presented = { ...basicCredentials(authorization), caller };
  let refusal: unknown;
  for (const { scope } of wanted)
    try {
      const actor = await serving.checkAppPassword(ctx, { ...presented, scope });
      return { actor, spaces: all.filter((space) => actor.scopes?.has(space.scope) === true) };
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'INSUFFICIENT_SCOPE') throw error;
      refusal = error;
    }
  throw refusal;
}

function notSignedIn(): Problem {
  const message = 'Sign in with your name and an app password that is for calendars or contacts.';
  return new Problem('unauthenticated', 'UNAUTHORIZED', message);
}

/**
 * Whether nobody on the way can read a password: with TLS to this server or to a configured proxy, on this machine, and over the control socket.
 */
export function isPrivate(
  { config }: Pick<Context, 'config'>,
  request: ServerRequest,
  { address }: Pick<Caller, 'address'>,
): boolean {
  const socket = request.runtime?.node?.req.socket as TLSSocket | undefined;
  if (socket?.encrypted === true || request.ip === undefined) return true;
  const peer = peerAddress(request.ip);
  // Behind a proxy, what counts is how the client came to it. A client that writes the header itself harms only itself.
  if (trustedPeers(config)(peer))
    return request.headers.get('x-forwarded-proto')?.trim().toLowerCase() === 'https' || isLoopback(address);
  return isLoopback(peer);
}

function isLoopback(address: string): boolean {
  return address === 'local' || address === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address);
}

/** Before the password is looked at: it should have another one soon. */
export function refusePublic(): Problem {
  const message = 'Passwords are read only over TLS. Use https:// in the address of the server.';
  return new Problem('forbidden', 'FORBIDDEN', message);
}
