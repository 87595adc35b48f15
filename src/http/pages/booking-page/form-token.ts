import { wholeNumber } from '../../../base/whole-number.ts';
import { constantTimeEqual, fromHex, toHex, utf8 } from '../../../crypto/bytes.ts';
import { hmacSha256 } from '../../../crypto/hash.ts';
import { deriveKey } from '../../../crypto/hkdf.ts';
import type { Context } from '../../../service/context.ts';

/** Nobody reads and fills a form faster. */
const LEAST_MS = 5_000;
const MOST_MS = 30 * 60_000;
const NONCE_BYTES = 16;

/** What a form is for. */
export interface Formed {
  readonly slug: string;
  readonly type: string;
  readonly start: string;
}

type State =
  | { readonly is: 'good'; /** 16 bytes, hex */ readonly nonce: string }
  | { readonly is: 'early' | 'late' | 'none' };

type Needs = Pick<Context, 'keys' | 'random' | 'clock'>;

/** A token for one form: who has none has not seen the page. */
export function newFormToken(ctx: Needs, formed: Formed): string {
  const nonce = toHex(ctx.random(NONCE_BYTES));
  const moment = String(ctx.clock.now());
  return `${moment}.${nonce}.${macOf(ctx, formed, moment, nonce)}`;
}

export function checkFormToken(ctx: Needs, formed: Formed, token: string): State {
  const [, moment = '', nonce = '', mac = ''] = /^(\d{1,15})\.([0-9a-f]{32})\.([0-9a-f]{64})$/.exec(token) ?? [];
  if (mac === '' || !constantTimeEqual(fromHex(mac), fromHex(macOf(ctx, formed, moment, nonce)))) return { is: 'none' };
  const age = ctx.clock.now() - (wholeNumber(moment) ?? 0);
  if (age < LEAST_MS) return { is: 'early' };
  return age > MOST_MS ? { is: 'late' } : { is: 'good', nonce };
}

function macOf({ keys }: Pick<Context, 'keys'>, { slug, type, start }: Formed, moment: string, nonce: string): string {
  const key = deriveKey(keys.wrap, 'conclave/booking-form/v1');
  return toHex(hmacSha256(key, utf8(JSON.stringify([slug, type, start, moment, nonce]))));
}
