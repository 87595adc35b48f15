import type { Actor, Guest } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { checkTotp, parseTotpSecret, totp, type TotpSecret } from '../../../crypto/totp.ts';
import { fieldProblem } from '../../../base/problem.ts';

export function generateTotp(ctx: Context, _: Actor | Guest, { secret }: { secret: string }) {
  const parsed = parse(secret);
  return Promise.resolve({ code: { ...totp(parsed, ctx.clock.now()), period: parsed.period } });
}

export function validateTotp(
  ctx: Context,
  _: Actor | Guest,
  { code, secret, window }: { code: string; secret: string; window: number },
): Promise<{ valid: boolean }> {
  const valid = checkTotp(parse(secret), code.replaceAll(' ', ''), ctx.clock.now(), window);
  return Promise.resolve({ valid });
}

/** @returns null for a secret that can't produce codes, as imports may contain */
export function currentCode(secret: string | undefined, nowMs: number): string | null {
  if (secret === undefined || secret === '') return null;
  try {
    return totp(parseTotpSecret(secret), nowMs).code;
  } catch (error) {
    if (error instanceof CryptoError) return null;
    throw error;
  }
}

function parse(secret: string): TotpSecret {
  try {
    return parseTotpSecret(secret);
  } catch (error) {
    if (error instanceof CryptoError) throw fieldProblem('secret', error.message);
    throw error;
  }
}
